import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { warnOfHardwareWords } from './admission.ts'
import { hardwareNames } from './names.ts'
import { hardwarePolicyOf, isAccepted } from './policy.ts'

suite('warnOfHardwareWords()', () => {
  const policies: readonly (readonly [word: string, isTold: boolean])[] = [
    ['Allow', false],
    ['warn', false],
    ['REFUSE', false],
    ['refused', true],
    ['', true],
  ]
  for (const [word, isTold] of policies) {
    test(`${isTold ? 'warns about' : 'accepts'} the policy ${JSON.stringify(word)}`, () => {
      const object = { metadata: { annotations: { [hardwareNames.policyAnnotation]: word } } }
      assert.equal(warnOfHardwareWords(object).length, isTold ? 1 : 0)
      if (isTold) assert.equal(hardwarePolicyOf(object, undefined), 'Refuse', 'what the warning says it counts as')
    })
  }

  const fingerprint = '3f2a9c11d0ab'.padEnd(64, '0')
  const accepted: readonly (readonly [word: string, isTold: boolean])[] = [
    [fingerprint, false],
    [fingerprint.slice(0, 12), false],
    [fingerprint.slice(0, 8), false],
    [fingerprint.slice(0, 7), true],
    [`${fingerprint}0`, true],
    ['yes, please', true],
  ]
  for (const [word, isTold] of accepted) {
    test(`${isTold ? 'warns about' : 'accepts'} accepting ${JSON.stringify(word)}`, () => {
      const object = { metadata: { annotations: { [hardwareNames.acceptAnnotation]: word } } }
      assert.equal(warnOfHardwareWords(object).length, isTold ? 1 : 0)
      assert.equal(isAccepted(object, fingerprint), !isTold)
    })
  }

  test('returns no warnings without annotations', () => assert.deepEqual(warnOfHardwareWords({}), []))
})
