import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseCardCounters } from './card-counters.ts'

test('what a tap device transmits is what the guest receives', () => {
  const text = `Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo:     100       1    0    0    0     0          0         0      100       1    0    0    0     0       0          0
tap0123456789ab:1234567 10 1 2 0 0 0 0 7654321 20 3 4 0 0 0 0
`
  const counters = parseCardCounters(text)
  assert.deepEqual([...counters.keys()], ['lo', 'tap0123456789ab'])
  assert.deepEqual(counters.get('tap0123456789ab'), {
    received: { bytes: 7654321, packets: 20, errors: 3, dropped: 4 },
    transmitted: { bytes: 1234567, packets: 10, errors: 1, dropped: 2 },
  })
})
