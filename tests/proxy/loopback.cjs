// Preload for servers that would listen on every interface: binds them to loopback.
const { Server } = require('node:net');

const { listen } = Server.prototype;
Server.prototype.listen = function listenOnLoopback(...args) {
  if (typeof args[0] === 'number' || typeof args[0] === 'string') {
    const callback = args.find((argument) => typeof argument === 'function');
    return listen.call(this, Number(args[0]), '127.0.0.1', callback);
  }
  return listen.apply(this, args);
};
