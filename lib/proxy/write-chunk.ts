import type { ServerResponse } from 'node:http';

/** Up to here a copy is cheaper than handing the kernel the pieces of a chunk one by one. */
const ASSEMBLED_BYTES_MAX = 16 * 1024;

/**
 * Writes to a response whose head was flushed; false means that the peer is behind, see `onceWritable`. An event is
 * mostly one small write, and the system call is most of its cost: the chunk's size line, its bytes and its end go
 * to the socket as one buffer where node would pass three. Anything unusual takes node's own way.
 */
export function writeChunk(res: ServerResponse, bytes: Buffer): boolean {
  const { socket } = res;
  const isPlain = socket !== null && res.chunkedEncoding && res.headersSent && !res.writableEnded && bytes.length > 0;
  if (!isPlain || bytes.length > ASSEMBLED_BYTES_MAX || res.writableLength !== socket.writableLength) return res.write(bytes);
  const size = `${bytes.length.toString(16)}\r\n`;
  const chunk = Buffer.allocUnsafe(size.length + bytes.length + 2);
  chunk.write(size, 0, 'latin1');
  bytes.copy(chunk, size.length);
  chunk[chunk.length - 2] = 13;
  chunk[chunk.length - 1] = 10;
  return socket.write(chunk);
}

/** Calls back once when a response that refused more can take it again. */
export function onceWritable(res: ServerResponse, resume: () => void): void {
  const { socket } = res;
  if (socket === null || !socket.writableNeedDrain) res.once('drain', resume);
  else socket.once('drain', resume);
}
