import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMetrics } from '#runtime/metrics/metrics.ts'
import { createConnectionMetrics } from './connection-metrics.ts'

test('createConnectionMetrics() counts open streams by guest, and remembers the last connection', async () => {
  const metrics = createMetrics()
  let nowMs = 5_000
  const connections = createConnectionMetrics(metrics, () => nowMs)
  const closeFirst = connections.opened('console', 'ns', 'web')
  const closeSecond = connections.opened('console', 'ns', 'web')
  connections.opened('vnc', 'ns', 'db')
  const lines = async (): Promise<readonly string[]> => (await metrics.metrics()).split('\n').filter((line) => line.includes('vmi="'))
  assert.deepEqual(await lines(), [
    'kubevirt_console_active_connections{namespace="ns",vmi="web"} 2',
    'kubevirt_vnc_active_connections{namespace="ns",vmi="db"} 1',
    'kubevirt_vmi_last_api_connection_timestamp_seconds{namespace="ns",vmi="web"} 5',
    'kubevirt_vmi_last_api_connection_timestamp_seconds{namespace="ns",vmi="db"} 5',
  ])
  nowMs = 9_000
  closeFirst()
  closeSecond()
  assert.deepEqual(await lines(), [
    'kubevirt_vnc_active_connections{namespace="ns",vmi="db"} 1',
    'kubevirt_vmi_last_api_connection_timestamp_seconds{namespace="ns",vmi="db"} 5',
    'kubevirt_vmi_last_api_connection_timestamp_seconds{namespace="ns",vmi="web"} 9',
  ])
})
