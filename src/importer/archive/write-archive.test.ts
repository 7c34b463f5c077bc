import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { pack } from 'tar-stream'
import { tarEntries } from './tar-entries.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

const chunks = 20_000
const chunk = Buffer.alloc(16 * 1024, 1)

/** An archive with one file, as its bytes arrive. */
async function* archive(): AsyncGenerator<Buffer> {
  const packed = pack()
  packed.entry({ name: 'file', size: chunks * chunk.length })
  yield* (await once(packed, 'data')) as Buffer[]
  for (let index = 0; index < chunks; index++) yield chunk
  yield Buffer.alloc(1024)
}

test('an archive whose reader is slow leaves nothing in memory for each of its chunks', async () => {
  let [read, before] = [0, 0]
  for await (const entry of tarEntries(archive(), Number.MAX_SAFE_INTEGER))
    for await (const _ of entry.chunks) {
      await setImmediate()
      if (++read !== chunks / 4 && read !== chunks) continue
      collectGarbage()
      const { heapUsed } = process.memoryUsage()
      if (read === chunks) assert.ok(heapUsed - before < chunks * 50, `${heapUsed - before} bytes`)
      before = heapUsed
    }
  assert.equal(read, chunks)
})
