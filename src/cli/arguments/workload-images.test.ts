import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { CommandError } from '../context.ts'
import { workloadImagesOf } from './workload-images.ts'

suite('workloadImagesOf()', () => {
  test('reads images with registry, port, tag and digest', () => {
    const digest = `mine.test:5000/team/aie@sha256:${'0'.repeat(64)}`
    assert.deepEqual(workloadImagesOf([`aie-webhook=${digest}`, 'wasp-agent=wasp:v1']), { 'aie-webhook': digest, 'wasp-agent': 'wasp:v1' })
    assert.deepEqual(workloadImagesOf([]), {})
  })

  const refused: readonly (readonly [readonly string[], RegExp])[] = [
    [['virt-api=x'], /one of network-resources-injector, aie-webhook, wasp-agent, observability-controller/],
    [['aie-webhook'], /expected aie-webhook=IMAGE/],
    [['aie-webhook='], /expected aie-webhook=IMAGE/],
    [['aie-webhook=a b'], /expected aie-webhook=IMAGE/],
    [['aie-webhook=a', 'aie-webhook=b'], /names aie-webhook twice/],
  ]
  for (const [values, message] of refused)
    test(`refuses ${values.join(' and ')}`, () => {
      assert.throws(
        () => workloadImagesOf(values),
        (error) => error instanceof CommandError && message.test(error.message),
      )
    })
})
