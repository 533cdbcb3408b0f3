/**
 * ZIP archives as the import reads them: loose files are packed without compression, and the names in one are listed.
 * PKWARE APPNOTE 6.3.10; without ZIP64, so at most 4 GB.
 *
 * @typedef {object} Named @property {string} name path with slashes @property {File} file
 */

const LOCAL = 0x04034b50;
const ENTRY = 0x02014b50;
const END = 0x06054b50;
const UTF8 = 0x0800;
const DAY = 0x0021; // 1 January 1980: the same files make the same archive, so that an upload can continue.
export const LARGEST = 2 ** 32 - 2 ** 24;

const CRCS = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  return crc;
});

/** @param {File} file */
async function checksum(file) {
  let crc = 0xffffffff;
  const reader = file.stream().getReader();
  for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
    for (let i = 0; i < value.length; i += 1) crc = CRCS[(crc ^ value[i]) & 0xff] ^ (crc >>> 8);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

/**
 * Pack files into one archive, which holds references to them and not their bytes.
 *
 * @param {Named[]} files @param {string} name of the archive @param {(done: number) => void} advance
 */
export async function pack(files, name, advance) {
  /** @type {BlobPart[]} */
  const parts = [];
  /** @type {BlobPart[]} */
  const directory = [];
  let place = 0;
  let directorySize = 0;
  for (const [index, { name: path, file }] of files.entries()) {
    const label = new TextEncoder().encode(path);
    const common = [20, UTF8, 0, 0, DAY, await checksum(file), file.size, file.size, label.length, 0];
    const local = record([4, 2, 2, 2, 2, 2, 4, 4, 4, 2, 2], [LOCAL, ...common]);
    const entry = record([4, 2, 2, 2, 2, 2, 2, 4, 4, 4, 2, 2, 2, 2, 2, 4, 4], [ENTRY, 20, ...common, 0, 0, 0, 0, place]);
    parts.push(local, label, file);
    directory.push(entry, label);
    place += local.byteLength + label.length + file.size;
    directorySize += entry.byteLength + label.length;
    advance(index + 1);
  }
  const end = record([4, 2, 2, 2, 2, 4, 4, 2], [END, 0, 0, files.length, files.length, directorySize, place, 0]);
  const lastModified = Math.max(0, ...files.map(({ file }) => file.lastModified));
  return new File([...parts, ...directory, end], name, { type: "application/zip", lastModified });
}

/** @param {number[]} sizes in bytes @param {number[]} values */
function record(sizes, values) {
  const view = new DataView(new ArrayBuffer(sizes.reduce((sum, size) => sum + size, 0)));
  let place = 0;
  for (const [index, size] of sizes.entries()) {
    if (size === 2) view.setUint16(place, values[index], true);
    else view.setUint32(place, values[index], true);
    place += size;
  }
  return view.buffer;
}

/** Return the names of the files in an archive; empty if they can't be read here. @param {File} file */
export async function list(file) {
  const tail = new DataView(await file.slice(Math.max(0, file.size - 0xffff - 22)).arrayBuffer());
  let end = tail.byteLength - 22;
  while (end >= 0 && tail.getUint32(end, true) !== END) end -= 1;
  if (end < 0) return [];
  const [count, size, start] = [tail.getUint16(end + 10, true), tail.getUint32(end + 12, true), tail.getUint32(end + 16, true)];
  const view = new DataView(await file.slice(start, start + size).arrayBuffer());
  /** @type {string[]} */
  const names = [];
  for (let place = 0; names.length < count && place + 46 <= view.byteLength && view.getUint32(place, true) === ENTRY; ) {
    const [label, extra, comment] = [28, 30, 32].map((offset) => view.getUint16(place + offset, true));
    names.push(new TextDecoder().decode(new Uint8Array(view.buffer, place + 46, label)));
    place += 46 + label + extra + comment;
  }
  return names.filter((name) => !name.endsWith("/"));
}
