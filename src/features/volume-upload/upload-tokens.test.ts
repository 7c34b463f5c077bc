import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createUploadTokens, TokenRefused } from './upload-tokens.ts'

const target = { namespace: 'ns', name: 'disk' }

test('A token is for one claim and five minutes, and is read by every server with the key', () => {
  let [now, keys] = [0, ['key']]
  const [one, other] = [0, 1].map(() => createUploadTokens({ keys: () => keys, now: () => now }))
  const token = one?.sign(target) ?? ''
  assert.deepEqual(other?.read(token), target)
  const refusal = (text: string): string => {
    try {
      return JSON.stringify(one?.read(text))
    } catch (error) {
      return error instanceof TokenRefused && error.isForged ? 'forged' : String(error)
    }
  }
  now = 5 * 60_000 + 9_000
  assert.deepEqual(one?.read(token), target)
  now += 2_000
  assert.equal(refusal(token), 'forged')
  now = 0
  keys = ['next', 'key']
  assert.deepEqual(one?.read(token), target, 'the key before still counts')
  keys = ['next']
  assert.equal(refusal(token), 'forged')
})

test('No other text is a token', () => {
  const tokens = createUploadTokens({ keys: () => ['key'], now: () => 0 })
  const token = tokens.sign(target)
  const changed = fc
    .tuple(fc.nat(token.length - 1), fc.constantFrom('A', 'b', '0', '.', '='))
    .map(([at, letter]) => token.slice(0, at) + letter + token.slice(at + 1))
  fc.assert(
    fc.property(fc.oneof(fc.string(), changed), (text) => {
      if (text === token) return
      try {
        // The last letter of base64 has bits that do not count.
        assert.deepEqual(tokens.read(text), target)
        assert.equal(text.slice(0, -1), token.slice(0, -1))
      } catch (error) {
        assert.ok(error instanceof TokenRefused)
      }
    }),
  )
  const none = Buffer.from('{"alg":"none"}').toString('base64url')
  assert.throws(() => tokens.read([none, token.split('.')[1], ''].join('.')), TokenRefused)
})
