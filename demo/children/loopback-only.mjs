// Loaded before a program that listens on all interfaces, so that it is reached on loopback only.
import { Server } from 'node:net';

const listen = Server.prototype.listen;

Server.prototype.listen = function listenOnLoopback(port, ...rest) {
  const isPort = typeof port === 'number' || typeof port === 'string';
  return isPort && typeof rest[0] !== 'string' ? listen.call(this, Number(port), '127.0.0.1', ...rest) : listen.call(this, port, ...rest);
};
