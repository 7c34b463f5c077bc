import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { QmpConnection } from '#qemu/index.ts'
import type { Guest } from '#features/node-agent/guest/guest.ts'
import type { Ports } from '#features/node-agent/guest/ports.ts'
import { publishLaunch } from './describe.ts'
import { parseSourceLaunch } from '../source-launch.ts'
import type { SourceMigration } from './context.ts'

const answers: Readonly<Record<string, unknown>> = {
  'query-cpus-fast': [{ 'qom-path': '/machine/cpu' }],
  'query-version': { qemu: { major: 7, minor: 2, micro: 0 } },
  'qom-list': [
    { name: 'aes', type: 'bool' },
    { name: 'avx', type: 'bool' },
  ],
  'qom-get': true,
}

/** Returns the QMP commands sent and the CPU features published, given the cached ones. */
async function described(cpuFeatures: readonly string[] | undefined) {
  const asked: string[] = []
  const said: { status: { migrationState: { sourceState: { steadyvm: { launch: string } } } } }[] = []
  const execute = async (command: string): Promise<unknown> => {
    asked.push(command)
    return answers[command] ?? []
  }
  const guest = {
    cpuFeatures,
    query: (ask: (qmp: QmpConnection) => Promise<unknown>) => ask({ execute } as unknown as QmpConnection),
    recordedFingerprint: () => Promise.resolve(undefined),
    stopWaiting: () => {},
  }
  const vmi = { metadata: { name: 'web', namespace: 'n' }, spec: { domain: { devices: {} } } }
  const patch = async (_: unknown, __: unknown, { body }: { body: (typeof said)[0] }): Promise<unknown> => {
    said.push(body)
    return vmi
  }
  const migration = { guest, vmi, record: { arguments: [], domain: {} }, observed: { runState: 'running' } }
  await publishLaunch({ client: { patch } } as unknown as Ports, migration as unknown as SourceMigration)
  const { launch } = said[0]?.status.migrationState.sourceState.steadyvm ?? { launch: '{}' }
  return { asked, known: (guest as unknown as Guest).cpuFeatures, told: parseSourceLaunch(launch).cpuFeatures }
}

test('queries the CPU features of the guest and caches them', async () => {
  const { asked, known, told } = await described(undefined)
  assert.deepEqual(told, ['aes', 'avx'])
  assert.deepEqual(known, told)
  assert.equal(asked.filter((command) => command === 'qom-get').length, 2)
})

test('uses the CPU features that the hardware reconciler has cached', async () => {
  const { asked, told } = await described(['aes'])
  assert.deepEqual(told, ['aes'])
  assert.ok(!asked.includes('qom-get'), asked.join())
})
