/* Loaded before the server: whatever reaches out of the process says so on standard error and fails. */
const blocked = (what) => () => {
  process.stderr.write(`OUTSIDE ${what}\n`);
  throw new Error(`blocked: ${what}`);
};
const net = require('node:net');
const dns = require('node:dns');
const dgram = require('node:dgram');
const children = require('node:child_process');
net.Socket.prototype.connect = blocked('connect');
net.Server.prototype.listen = blocked('listen');
dgram.createSocket = blocked('datagram');
for (const name of ['lookup', 'resolve', 'resolve4', 'resolve6']) {
  dns[name] = blocked(`dns.${name}`);
  dns.promises[name] = blocked(`dns.${name}`);
}
for (const name of ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork'])
  children[name] = blocked(name);
globalThis.fetch = blocked('fetch');
