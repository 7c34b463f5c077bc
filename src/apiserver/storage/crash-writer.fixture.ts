// Writes at full load until killed. Prints each acknowledged write: revision, name, value.
import { writeSync } from 'node:fs'

import { openObjectStore } from './open-object-store.ts'
import { put } from './store.fixture.ts'

const [path = '', round = ''] = process.argv.slice(2)
const store = openObjectStore({
  path,
  now: () => Math.trunc(performance.timeOrigin + performance.now()),
  // A short history, so that kills also interrupt compaction.
  retention: { changes: 3000, bytes: 0, ageMs: 0 },
})
const padding = 'x'.repeat(2000)

async function writer(id: number): Promise<never> {
  for (let count = 0; ; count += 1) {
    const name = `object-${(id * 7 + count) % 60}`
    const remove = count % 5 === 4 && store.getPending('/things', 'default', name) !== undefined
    const value = `${round}-${id}-${count}-${padding}`
    const entry = await put(store, '/things', name, remove ? undefined : value)
    writeSync(1, `${entry.revision} ${name} ${remove ? 'deleted' : value.slice(0, -padding.length)}\n`)
  }
}

await Promise.all(Array.from({ length: 24 }, (_, id) => writer(id)))
