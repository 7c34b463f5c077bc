import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { validateServiceReference } from './validate-service-reference.ts'

const subdomain = /^segment\[0\]: a lowercase RFC 1123 subdomain must consist of/

suite('validateServiceReference()', () => {
  const cases: readonly [path: string | undefined, want: readonly (string | RegExp)[]][] = [
    [undefined, []],
    ['', []],
    ['/', []],
    ['/convert', []],
    ['/a/b.c/', []],
    ['//', ['segment[0] may not be empty']],
    ['/a//b', ['segment[1] may not be empty']],
    ['/Convert', [subdomain]],
    ['convert', ["must start with a '/'"]],
  ]
  for (const [path, want] of cases) {
    test(`path ${JSON.stringify(path)}`, () => {
      const faults = validateServiceReference({ namespace: 'a', name: 'b', path }, 'service')
      assert.equal(faults.length, want.length)
      faults.forEach(({ field, message }, index) => {
        const expected = want[index] ?? ''
        assert.equal(field, 'service.path')
        const why = message.slice(`Invalid value: ${JSON.stringify(path)}: `.length)
        if (typeof expected === 'string') assert.equal(why, expected)
        else assert.match(why, expected)
      })
    })
  }

  test('name, namespace and port', () => {
    const fields = validateServiceReference({ namespace: '', name: '', port: 0 }, 'service').map(({ field }) => field)
    assert.deepEqual(fields, ['service.name', 'service.namespace', 'service.port'])
  })
})
