import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { limitsOf, settingsOf } from './settings.ts'

const tls = { directory: '/pki', targetName: 'b' }

suite('settingsOf()', () => {
  test('encrypts unless it is told not to', () => {
    assert.deepEqual(settingsOf({}, tls).tls, tls)
    assert.equal(settingsOf({ migrationConfiguration: { disableTLS: true } }, tls).tls, undefined)
  })

  test('reads what was frozen', () => {
    const migrationConfiguration = { bandwidthPerMigration: '64Mi', maxDowntimeMs: 300, allowAutoConverge: true, progressTimeout: 7 }
    assert.deepEqual(settingsOf({ migrationConfiguration }, undefined), {
      bandwidth: 2 ** 26,
      maxDowntimeMs: 300,
      autoConverge: true,
      postCopy: false,
    })
    assert.equal(limitsOf({ migrationConfiguration }).progressTimeoutMs, 7_000)
    assert.equal(limitsOf({}).completionTimeoutMsPerGib, 150_000)
  })

  test('lets a guest run early only if both its owner and the target allow it', () => {
    const migrationConfiguration = { allowPostCopy: true }
    const targetState = { steadyvm: { withoutPostCopy: true } }
    for (const [state, expected] of [
      [{}, false],
      [{ migrationConfiguration }, true],
      [{ migrationConfiguration, targetState }, false],
    ] as const) {
      assert.equal(settingsOf(state, undefined).postCopy, expected)
      assert.equal(limitsOf(state).allowPostCopy, expected)
    }
  })
})
