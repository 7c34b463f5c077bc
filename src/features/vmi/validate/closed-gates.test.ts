import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { featureGates } from '#features/cluster-config/index.ts'
import { validateClosedGates } from './closed-gates.ts'

/** Specs with KubeVirt's answer, compared with its admitter at d923fdb8. */
const rows: readonly (readonly [gate: string, spec: object, field: string, message: RegExp])[] = [
  [
    'DownwardMetrics',
    { domain: { devices: { downwardMetrics: {} } } },
    'spec.domain.devices.downwardMetrics',
    /^downwardMetrics virtio serial is not/,
  ],
  [
    'DownwardMetrics',
    { domain: { devices: {} }, volumes: [{ name: 'a' }, { name: 'm', downwardMetrics: {} }] },
    'spec.volumes[1]',
    /^downwardMetrics disks/,
  ],
  [
    'VSOCK',
    { domain: { devices: { autoattachVSOCK: true } } },
    'spec.domain.devices.autoattachVSOCK',
    /^VSOCK feature gate is not enabled/,
  ],
  [
    'ReservedOverheadMemlock',
    { domain: { devices: {}, memory: { reservedOverhead: {} } } },
    'spec.domain.memory.reservedOverhead',
    /^Reserved overhead memlock feature gate/,
  ],
]

test('a field behind a closed gate is refused, and allowed once the gate is open', () => {
  for (const [gate, spec, field, message] of rows) {
    const causes = validateClosedGates(
      spec as VirtualMachineInstanceSpec,
      'spec',
      Object.keys(featureGates).filter((one) => one !== gate),
    )
    assert.deepEqual(
      causes.map((cause) => [cause.reason, cause.field]),
      [['FieldValueInvalid', field]],
    )
    assert.match(causes[0]?.message ?? '', message)
    assert.deepEqual(validateClosedGates(spec as VirtualMachineInstanceSpec, 'spec', [gate]), [])
  }
  const none = { domain: { devices: { autoattachVSOCK: false } } } as VirtualMachineInstanceSpec
  assert.deepEqual(validateClosedGates(none, 'spec', []), [])
})
