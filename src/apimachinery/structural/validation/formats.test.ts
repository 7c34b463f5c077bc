import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { stringFormats } from './formats.ts'

const cases: readonly [format: string, good: readonly string[], bad: readonly string[]][] = [
  ['date', ['2026-01-31', '2000-02-29'], ['2026-1-1', '2026-13-01', '1900-02-29', '']],
  ['datetime', ['2026-01-01T00:00:00Z', '2026-01-01t12:30:00.5-07:00'], ['2026-01-01', '2026-01-01T24:00:00Z', '2026-01-01T00:00:00']],
  ['duration', ['1h30m', '5s', '1.5h', '0', '3 days', '100ms'], ['', 'h', '1 fortnight', '5']],
  ['byte', ['', 'YQ==', 'YWJj'], ['YQ', 'Y===', '*']],
  ['uuid', ['c2c0a1de-5d8a-4c1b-9a6e-0d8f0c3b2a10', 'C2C0A1DE5D8A4C1B9A6E0D8F0C3B2A10'], ['c2c0a1de', '']],
  ['uuid4', ['c2c0a1de-5d8a-4c1b-9a6e-0d8f0c3b2a10'], ['c2c0a1de-5d8a-1c1b-9a6e-0d8f0c3b2a10']],
  ['ipv4', ['0.0.0.0', '255.10.1.9'], ['256.1.1.1', '1.2.3', '1.2.3.4.5', '01.2.3.4', '1.2.3.4.']],
  ['ipv6', ['::', '::1', 'fe80::1', '1:2:3:4:5:6:7:8', '::ffff:1.2.3.4'], ['1::2::3', '1:2:3:4:5:6:7', '12345::', ':::', '1.2.3.4']],
  ['cidr', ['10.0.0.0/8', 'fd00::/64'], ['10.0.0.0', '10.0.0.0/33', 'fd00::/129', '/8']],
  ['mac', ['02:00:00:00:00:01', '02-00-00-00-00-01', '0200.0000.0001'], ['02:00:00:00:00', '02:00-00:00:00:01', 'zz:00:00:00:00:01']],
  ['hostname', ['example.com', 'a', 'A-b.c'], ['-a', 'a..b', 'a_b', '']],
  ['email', ['a@b', 'A <a@b.c>'], ['a', '@b', 'a@b@c']],
  ['uri', ['http://a/b?c', '/path', 'urn:x'], ['', 'a b', 'relative']],
  ['isbn', ['978-3-16-148410-0', '0-306-40615-2', '080442957X'], ['978-3-16-148410-1', '0-306-40615-3', '']],
  ['isbn10', ['0306406152'], ['9783161484100']],
  ['isbn13', ['978 3 16 148410 0'], ['0306406152']],
  ['creditcard', ['4111111111111111', '4111-1111-1111-1111'], ['4111111111111112', '411111111', '']],
  ['k8sshortname', ['abc-1'], ['a.b', 'A']],
]

suite('stringFormats', () => {
  for (const [format, good, bad] of cases) {
    test(`stringFormats: ${format}`, () => {
      const accepts = stringFormats.get(format)
      assert.deepEqual(
        good.filter((text) => accepts?.(text) !== true),
        [],
      )
      assert.deepEqual(
        bad.filter((text) => accepts?.(text) !== false),
        [],
      )
    })
  }
})
