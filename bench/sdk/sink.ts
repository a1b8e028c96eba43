/** An intake that takes everything and stores nothing, so that only the sender's own cost is measured. Run as a child. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';

const server = createServer((req, res) => {
  req.resume();
  req.on('end', () =>
    res.writeHead(202, { 'content-type': 'application/json' }).end(JSON.stringify({ accepted: 1, duplicate: 0, rejected: [] })),
  );
});
const sockets = new WebSocketServer({ server, perMessageDeflate: false });
sockets.on('connection', (socket) =>
  socket.on('message', (data) => {
    const [, seq] = /"seq":(\d+)/.exec(data.toString()) ?? [];
    socket.send(JSON.stringify({ ack: Number(seq), accepted: 1, duplicate: 0, rejected: [] }));
  }),
);
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.once('disconnect', () => process.exit(0));
