import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { createVirtualClock } from '../clock/virtual-clock.ts'
import { createOwnWrites } from './own-writes.ts'

const object = (resourceVersion?: string, uid = 'a'): KubeObject => ({
  metadata: { uid, ...(resourceVersion === undefined ? {} : { resourceVersion }) },
})

suite('createOwnWrites()', () => {
  const rows: readonly (readonly [string, readonly KubeObject[], KubeObject, boolean])[] = [
    ['nothing was written of', [], object('1'), false],
    ['is from before the write', [object('10')], object('9'), true],
    ['is what was written', [object('10')], object('10'), false],
    ['another client has written since', [object('10')], object('11'), false],
    ['is the first of two writes', [object('10'), object('12')], object('10'), true],
    ['has the name of one that was written, and is another', [object('10')], object('9', 'b'), false],
    ['has a version that cannot be compared', [object('x')], object('9'), false],
    ['has no version', [object('10')], object(), false],
  ]
  for (const [name, writes, cached, isBehind] of rows) {
    test(`${isBehind ? 'waits for' : 'accepts'} an object that ${name}`, () => {
      const own = createOwnWrites({ clock: createVirtualClock() })
      for (const write of writes) own.note(write)
      assert.equal(own.isBehind(cached), isBehind)
    })
  }

  test('accepts the cached object when the event does not arrive', async () => {
    const clock = createVirtualClock()
    const own = createOwnWrites({ clock, patienceMs: 100 })
    own.note(object('10'))
    await clock.advance(60)
    own.note(object('20', 'b'))
    await clock.advance(50)
    assert.deepEqual([own.isBehind(object('9')), own.isBehind(object('19', 'b'))], [false, true])
  })
})
