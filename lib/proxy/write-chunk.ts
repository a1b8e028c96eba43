import type { ServerResponse } from 'node:http';

/** Up to here a copy is cheaper than handing the kernel the pieces of a chunk one by one. */
const ASSEMBLED_BYTES_MAX = 16 * 1024;
/** Room for a chunk's end after its bytes. */
export const ROOM_AFTER = 2;

/** Room for a chunk's size line before its bytes. */
export function roomBefore(length: number): number {
  let room = 3;
  for (let rest = length >>> 4; rest > 0; rest >>>= 4) room++;
  return room;
}

/**
 * Writes to a response whose head was flushed; false means that the peer is behind, see `onceWritable`. An event is
 * mostly one small write, and the system call is most of its cost: the chunk's size line, its bytes and its end go
 * to the socket as one buffer where node would pass three. Anything unusual takes node's own way.
 */
export function writeChunk(res: ServerResponse, bytes: Buffer): boolean {
  if (bytes.length > ASSEMBLED_BYTES_MAX || plainSocket(res, bytes.length) === null) return res.write(bytes);
  const room = roomBefore(bytes.length);
  const chunk = Buffer.allocUnsafe(room + bytes.length + ROOM_AFTER);
  bytes.copy(chunk, room);
  return writeRoomy(res, chunk, room, room + bytes.length);
}

/** Writes `buffer[start, end)`; where it has exactly the room around it, that takes the framing and nothing is copied. */
export function writeRoomy(res: ServerResponse, buffer: Buffer, start: number, end: number): boolean {
  const length = end - start;
  const isRoomy = start === roomBefore(length) && buffer.length === end + ROOM_AFTER;
  const socket = isRoomy ? plainSocket(res, length) : null;
  if (socket === null) return isRoomy ? res.write(buffer.subarray(start, end)) : writeChunk(res, buffer.subarray(start, end));
  buffer[end] = 13;
  buffer[end + 1] = 10;
  let at = start;
  buffer[--at] = 10;
  buffer[--at] = 13;
  for (let rest = length; rest > 0; rest >>>= 4) buffer[--at] = HEX_DIGITS[rest & 15] ?? 0;
  return socket.write(buffer);
}

const HEX_DIGITS = Buffer.from('0123456789abcdef', 'latin1');

/** The socket of a response where its own framing can be spared; null where node has to see to it. */
function plainSocket(res: ServerResponse, length: number): ServerResponse['socket'] {
  const { socket } = res;
  const isPlain = socket !== null && res.chunkedEncoding && res.headersSent && !res.writableEnded && length > 0;
  return isPlain && res.writableLength === socket.writableLength ? socket : null;
}

/** Calls back once when a response that refused more can take it again. */
export function onceWritable(res: ServerResponse, resume: () => void): void {
  const { socket } = res;
  if (socket === null || !socket.writableNeedDrain) res.once('drain', resume);
  else socket.once('drain', resume);
}
