/** Polynomial of ITU-T V.41, by which UDF checks its descriptors. */
const polynomial = 0x1021

/** Computes the checksum of a UDF descriptor's content. Pure. */
export function crc16(bytes: Uint8Array): number {
  let crc = 0
  for (const byte of bytes) {
    crc ^= byte << 8
    for (let bit = 0; bit < 8; bit++) crc = (crc & 0x8000) === 0 ? (crc << 1) & 0xffff : ((crc << 1) ^ polynomial) & 0xffff
  }
  return crc
}
