/**
 * ZIP archives as the import reads them: loose files are packed without compression, and the names in one are listed.
 * PKWARE APPNOTE 6.3.10; with ZIP64 for the number of files alone, so at most 4 GB.
 *
 * @typedef {object} Named @property {string} name path with slashes @property {File} file
 */

const LOCAL = 0x04034b50;
const ENTRY = 0x02014b50;
const END = 0x06054b50;
const END_64 = 0x06064b50;
const LOCATOR_64 = 0x07064b50;
const MOST = 0xffff; // files that END can count
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
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    const { value } = chunk;
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
  const many = files.length >= MOST;
  const counts = many ? [MOST, MOST] : [files.length, files.length];
  const end = record([4, 2, 2, 2, 2, 4, 4, 2], [END, 0, 0, ...counts, directorySize, place, 0]);
  const end64 = record(
    [4, 8, 2, 2, 4, 4, 8, 8, 8, 8, 4, 4, 8, 4],
    [END_64, 44, 45, 45, 0, 0, files.length, files.length, directorySize, place, LOCATOR_64, 0, place + directorySize, 1],
  );
  const lastModified = files.reduce((newest, { file }) => Math.max(newest, file.lastModified), 0);
  return new File([...parts, ...directory, ...(many ? [end64] : []), end], name, { type: "application/zip", lastModified });
}

/** @param {number[]} sizes in bytes @param {number[]} values */
function record(sizes, values) {
  const view = new DataView(new ArrayBuffer(sizes.reduce((sum, size) => sum + size, 0)));
  let place = 0;
  for (const [index, size] of sizes.entries()) {
    if (size === 8) view.setBigUint64(place, BigInt(values[index]), true);
    else if (size === 2) view.setUint16(place, values[index], true);
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
  const [size, start] = [tail.getUint32(end + 12, true), tail.getUint32(end + 16, true)];
  const view = new DataView(await file.slice(start, start + size).arrayBuffer());
  /** @type {string[]} */
  const names = [];
  // Their number, which may be too large for its field, isn't needed.
  for (let place = 0; place + 46 <= view.byteLength && view.getUint32(place, true) === ENTRY; ) {
    const [label, extra, comment] = [28, 30, 32].map((offset) => view.getUint16(place + offset, true));
    names.push(new TextDecoder().decode(new Uint8Array(view.buffer, place + 46, label)));
    place += 46 + label + extra + comment;
  }
  return names.filter((name) => !name.endsWith("/"));
}
