/** Chunks that are the last part of their memory; those before them were used earlier. */
const lastParts = new WeakSet<Buffer>()

/**
 * Tells that a chunk ends the memory that it shares with chunks before it, which are used in the
 * order in which they come. Must not be told of memory that others use, such as Node's pool.
 */
export function markLastPart(chunk: Buffer): void {
  lastParts.add(chunk)
}

/**
 * Frees the memory of a chunk that is not used any more: the chunk is empty after this. Left to
 * garbage collection, tens of MiB would wait for it, as it sees objects of 100 bytes where there
 * are 64 KiB of memory. What is a part of other memory is left to it all the same.
 */
export function freeChunk(chunk: Buffer): void {
  const { buffer, length } = chunk
  if (length === 0 || !(buffer instanceof ArrayBuffer)) return
  if (length === buffer.byteLength || lastParts.has(chunk)) buffer.transfer(0)
}
