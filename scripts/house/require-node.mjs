const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major < 20 || (major === 20 && minor < 19)) {
  console.error(
    `tidemark needs Node.js 20.19 or newer; this is ${process.version}. Install it from https://nodejs.org or with "nvm install 20".`,
  );
  process.exit(1);
}
