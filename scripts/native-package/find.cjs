// Finds the package with the executable of this platform, which npm installs as an optional dependency.
const { platforms } = require('./platforms.json');

exports.findExecutable = () => {
  const { platform, arch } = process;
  const libc = platform === 'linux' ? (process.report.getReport().header.glibcVersionRuntime ? 'glibc' : 'musl') : undefined;
  const found = platforms.find((one) => one.os === platform && one.cpu === arch && one.libc === libc);
  if (!found) throw new Error(`cleo has no executable for ${platform}-${arch}; install the package cleo, which runs in Node`);
  try {
    return require.resolve(found.file);
  } catch {
    throw new Error(`${found.package} is not installed; install cleo-native again, with optional dependencies`);
  }
};
