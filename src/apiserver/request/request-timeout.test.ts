import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { parseRequestInfo } from './request-info.ts'
import { checkTimeout } from './request-timeout.ts'

function check(search: string, path = '/api/v1/namespaces'): void {
  const query = new URLSearchParams(search)
  checkTimeout(parseRequestInfo('GET', path, query), query)
}

suite('checkTimeout()', () => {
  for (const text of ['', '0', '0s', '30s', '1h2m3.5s', '.5s', '-3s', '10m', '1us']) {
    test(`accepts "${text}"`, () => check(`timeout=${text}`))
  }
  for (const [text, why] of [
    ['invalid', 'invalid duration "invalid"'],
    ['30', 'missing unit in duration "30"'],
    ['30x', 'unknown unit "x" in duration "30x"'],
    ['1m30', 'missing unit in duration "1m30"'],
    ['s', 'invalid duration "s"'],
    ['-', 'invalid duration "-"'],
  ] as const) {
    test(`refuses "${text}"`, () => {
      const message = `invalid timeout specified in the request URL - time: ${why}`
      assert.throws(() => check(`timeout=${text}`), { code: 400, reason: 'BadRequest', message })
      assert.throws(() => check(`timeout=${text}`, '/version'), { code: 400 })
    })
  }
  test('ignores it in requests that last', () => {
    check('timeout=invalid&watch=1')
    check('timeout=invalid', '/api/v1/namespaces/a/pods/b/log')
  })
})
