import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parsePortMapping } from './port-mapping.ts'

test('parsePortMapping() reads the forms of virtctl', () => {
  for (const [text, expected] of [
    ['22', ['tcp', 22, 22]],
    ['8080:80', ['tcp', 8080, 80]],
    ['tcp/8080:80', ['tcp', 8080, 80]],
    ['udp/53', ['udp', 53, 53]],
  ] as const) {
    const { protocol, local, remote } = parsePortMapping(text)
    assert.deepEqual([protocol, local, remote], expected)
  }
  for (const text of ['', '0', '65536', '80:', ':80', 'sctp/1', '1:2:3', 'http'])
    assert.throws(() => parsePortMapping(text), /is no port: write LOCAL:REMOTE/)
})
