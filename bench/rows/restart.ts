import { setTimeout as sleep } from 'node:timers/promises'
import type { TestMachine } from '../../test/support/machine.ts'
import { administratorOf, drive, exchange } from '../load.ts'
import { type Row, time } from '../measure.ts'
import { waitFor } from '../wait-for.ts'

const OBJECTS = 20_000

/**
 * Measures the downtime of the API server after kill -9 with many objects: until the kubelet has
 * restarted it and it is ready.
 */
export async function restartRows(machine: TestMachine): Promise<Row[]> {
  const administrator = await administratorOf(machine)
  const padding = 'x'.repeat(2_800)
  await drive(administrator, { clients: 50, count: OBJECTS }, (session, index) => {
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `many-${index}` }, data: { padding } }
    const body = Buffer.from(JSON.stringify(object))
    return exchange(session, { path: '/api/v1/namespaces/default/configmaps', type: 'application/json', body }, 201)
  })
  await sleep(1_000)
  // Once: a second kill soon after would measure the kubelet's back-off.
  const before = pidOf(machine)
  const killed = performance.now()
  process.kill(before, 'SIGKILL')
  await waitFor('the API server is another process', () => ![0, before].includes(pidOf(machine)))
  const born = performance.now()
  await waitFor('the API server is ready', async () => (await machine.tryKubectl(['get', '--raw', '/readyz'])).stdout === 'ok', {
    everyMs: 10,
  })
  const ready = performance.now()
  return [
    {
      what: `API server ready again after kill -9, ${OBJECTS.toLocaleString('en')} objects of 3 KB`,
      measured: `${time(ready - born)} after its process began, ${time(ready - killed)} after the kill; kubectl's own time is part of both`,
      budget: '< 1 s',
      within: ready - born < 1000,
      peer: '',
    },
  ]
}

function pidOf(machine: TestMachine): number {
  return machine.processes().find(({ role }) => role === 'apiserver')?.pid ?? 0
}
