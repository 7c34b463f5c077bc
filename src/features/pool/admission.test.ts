import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { VirtualMachinePool, VirtualMachinePoolSpec } from '#api/pool/v1beta1/virtual-machine-pool.ts'
import { inTemplate, validatePool, warnOfPool } from './admission.ts'

const selector = { matchLabels: { app: 'web' } }
const domain = { devices: {} }

function poolOf(more: object = {}): VirtualMachinePool {
  const virtualMachineTemplate = { metadata: { labels: { app: 'web' } }, spec: { template: { spec: { domain } } } }
  return { metadata: { name: 'web' }, spec: { selector, virtualMachineTemplate, ...more } as VirtualMachinePoolSpec }
}

const strategies = (name: string): string =>
  `spec.${name}: only one strategy can be configured at a time: but found proactive, unmanaged strategies`
const between = 'must be between 1 and 100'

const table: readonly (readonly [object, string])[] = [
  [{}, ''],
  [{ selector: {} }, 'spec.selector: selector does not match labels.'],
  [{ selector: { matchLabels: { app: 'x' } } }, 'spec.selector: selector does not match labels.'],
  [{ selector: { matchExpressions: [{ key: 'app', operator: 'Near' }] } }, 'spec.selector: "Near" is not a valid label selector operator'],
  [{ maxUnavailable: 1 }, ''],
  [{ maxUnavailable: '1%' }, ''],
  [{ maxUnavailable: 0 }, 'spec.maxUnavailable: maxUnavailable must be greater than 0'],
  [{ maxUnavailable: '5' }, 'spec.maxUnavailable: maxUnavailable percentage must end with %'],
  [{ maxUnavailable: '0%' }, `spec.maxUnavailable: maxUnavailable percentage value 0 ${between}`],
  [{ maxUnavailable: '101%' }, `spec.maxUnavailable: maxUnavailable percentage value 101 ${between}`],
  [
    { maxUnavailable: 'half%' },
    'spec.maxUnavailable: maxUnavailable percentage value "half" is invalid: strconv.Atoi: parsing "half": invalid syntax',
  ],
  [{ updateStrategy: { proactive: {}, unmanaged: {} } }, strategies('updateStrategy')],
  [{ scaleInStrategy: { proactive: {}, unmanaged: {} } }, strategies('scaleInStrategy')],
  [
    {
      scaleInStrategy: {
        proactive: { selectionPolicy: { selectors: { nodeSelectorRequirementMatcher: [{ key: 'a', operator: 'Near' }] } } },
      },
    },
    'spec.scaleInStrategy.proactive.selectionPolicy.selectors: "Near" is not a valid label selector operator',
  ],
  [{ autohealing: { minFailingToStartDuration: '90s' } }, ''],
  [
    { autohealing: { minFailingToStartDuration: 'soon' } },
    'spec.autohealing.minFailingToStartDuration: "soon" is not a duration such as 5m or 1m30s',
  ],
]

suite('validatePool()', () => {
  for (const [spec, expected] of table)
    test(`${JSON.stringify(spec)}: ${expected}`, () => {
      const causes = validatePool(poolOf(spec), undefined)
      assert.equal(causes.map(({ field, message }) => `${field}: ${message}`).join('\n'), expected)
    })

  test('a selector does not change', () => {
    const labels = { app: 'web', more: 'x' }
    const next = poolOf({ selector: { matchLabels: { more: 'x' } }, virtualMachineTemplate: { metadata: { labels } } })
    assert.deepEqual(
      validatePool(next, poolOf()).map(({ message }) => message),
      ['selector is immutable after creation.'],
    )
  })
})

test('warnOfPool() names what all VMs would share, and what has no effect', () => {
  const shared = { firmware: { uuid: 'u' }, devices: { interfaces: [{ name: 'a' }, { name: 'b', macAddress: '02:00:00:00:00:01' }] } }
  const template = { spec: { template: { spec: { domain: shared } } } }
  assert.deepEqual(
    warnOfPool(poolOf({ virtualMachineTemplate: template, scaleInStrategy: { proactive: { statePreservation: 'Online' } } })),
    [
      'spec.virtualMachineTemplate.spec.template.spec.domain.firmware.uuid is the same for all VMs of the pool',
      'spec.virtualMachineTemplate.spec.template.spec.domain.devices.interfaces[1].macAddress is the same for all VMs of the pool',
      'spec.scaleInStrategy.proactive.statePreservation: Online preserves disks, as Offline does; memory is not preserved yet',
    ],
  )
  assert.deepEqual(warnOfPool(poolOf()), [])
})

test('inTemplate() moves the paths of a VM, and nothing else', () => {
  assert.equal(
    inTemplate('spec.template.spec.domain conflicts with spec.instancetype; see domain.spec.x'),
    'spec.virtualMachineTemplate.spec.template.spec.domain conflicts with spec.virtualMachineTemplate.spec.instancetype; see domain.spec.x',
  )
})
