import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeVirt, KubeVirtCondition } from '#api/kubevirt/v1/kubevirt.ts'
import type { Client } from '#client/client.ts'
import { createVirtualClock } from '#runtime/clock/virtual-clock.ts'
import { createConfigurationReconciler } from './reconciler.ts'

const available: KubeVirtCondition = { type: 'Available', status: 'True' }

/** Reconciles one object again and again, as its cache would show it. */
function installation(first: KubeVirt): { kubevirt: KubeVirt; writes: number; warnings: string[]; reconcile(): Promise<void> } {
  const state = {
    kubevirt: first,
    writes: 0,
    warnings: [] as string[],
    async reconcile() {
      const reconciler = createConfigurationReconciler({
        client: client as unknown as Client,
        kubevirts: { get: () => state.kubevirt, list: () => [state.kubevirt], byIndex: () => [] },
        recorder: { event: (_object, _type, reason, message) => state.warnings.push(`${reason}: ${message}`) },
        clock: createVirtualClock(),
      })
      await reconciler({ namespace: 'kubevirt', name: 'kubevirt' }, { signal: new AbortController().signal })
    },
  }
  const client = {
    async patch(_resource: unknown, _key: unknown, { body }: { body: { metadata: object; status: { conditions: KubeVirtCondition[] } } }) {
      assert.deepEqual(body.metadata, { resourceVersion: '5' })
      state.writes += 1
      state.kubevirt = { ...state.kubevirt, status: { ...state.kubevirt.status, conditions: body.status.conditions } }
      return state.kubevirt
    },
  }
  return state
}

function kubevirtWith(configuration: object): KubeVirt {
  return {
    metadata: { name: 'kubevirt', namespace: 'kubevirt', resourceVersion: '5' },
    spec: { configuration },
    status: { conditions: [available] },
  }
}

test('reports an invalid setting once, with its path, and keeps foreign conditions', async () => {
  const state = installation(kubevirtWith({ evictionStrategy: 'Maybe' }))
  await state.reconcile()
  const [other, verdict] = state.kubevirt.status?.conditions ?? []
  assert.deepEqual(other, available)
  assert.deepEqual([verdict?.type, verdict?.status, verdict?.reason], ['ConfigurationValid', 'False', 'InvalidConfiguration'])
  assert.ok(verdict?.message?.includes('spec.configuration.evictionStrategy'))
  assert.equal(state.warnings.length, 1)
  await state.reconcile()
  assert.deepEqual([state.writes, state.warnings.length], [1, 1], 'nothing is new the second time')
})

test('reports a repaired setting, too', async () => {
  const state = installation(kubevirtWith({ evictionStrategy: 'Maybe' }))
  await state.reconcile()
  state.kubevirt = { ...state.kubevirt, spec: { configuration: {} } }
  await state.reconcile()
  assert.equal(state.kubevirt.status?.conditions?.[1]?.status, 'True')
  assert.deepEqual([state.writes, state.warnings.length], [2, 1])
})

test('does not report settings without effect as being in force', async () => {
  const messageOf = async (configuration: object): Promise<string> => {
    const state = installation(kubevirtWith(configuration))
    await state.reconcile()
    assert.deepEqual(state.warnings, [])
    const { status, message } = state.kubevirt.status?.conditions?.[1] ?? {}
    return `${status} ${message}`
  }
  assert.equal(await messageOf({ cpuModel: 'Haswell' }), 'True all settings are in force')
  const idle = await messageOf({ smbios: { family: 'x' }, developerConfiguration: { featureGates: ['Bogus'] } })
  assert.match(idle, /^True all other settings are in force: .*smbios.*"Bogus"/)
})

test('reports a gate that is both enabled and disabled', async () => {
  const state = installation(kubevirtWith({ developerConfiguration: { featureGates: ['HostDisk'], disabledFeatureGates: ['HostDisk'] } }))
  await state.reconcile()
  assert.equal(state.kubevirt.status?.conditions?.[1]?.status, 'False')
})
