import { test } from 'node:test'
import { notActedOnPaths } from './not-acted-on.ts'
import { indexOf } from './sources.fixture.ts'

test('paths go through lists and bases, and stop at the first marked field', (t) => {
  const index = indexOf({
    'lab/v1/guest.ts': `
      interface Device {
        /** @notActedOn */
        tag?: string
        name: string
      }
      interface Disk extends Device {
        /** @notActedOn */
        nested?: Device
      }
      export interface Guest {
        disks?: Disk[] | null
        main?: Disk
        /** @notActedOn */
        extra?: string[]
      }`,
  })
  const guest = index.require('src/api/lab/v1/guest.ts', 'Guest')
  t.assert.deepEqual(notActedOnPaths(guest, index), ['disks[].nested', 'disks[].tag', 'extra', 'main.nested', 'main.tag'])
})
