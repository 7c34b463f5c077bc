import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { VirtualMachine, VirtualMachineSpec } from '#api/kubevirt/v1/virtual-machine.ts'
import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { labelSelectorFromObject } from '#apimachinery/selectors/label-selector.ts'
import { graphOfVm, graphOfVmi, type GraphFilter, type ObjectGraphNode } from './object-graph.ts'

const everything: GraphFilter = { includesOptional: true, selector: labelSelectorFromObject({}) }
const nothing = { pod: undefined, stateClaim: undefined }

/** Children in words: `Secret ns/keys config`, those of children after a dash. */
function words({ children = [] }: ObjectGraphNode, depth = ''): string[] {
  return children.flatMap((child) => {
    const { kind, namespace, name } = child.objectReference
    const label = child.labels['kubevirt.io/dependency-type']
    return [`${depth}${kind} ${namespace}/${name} ${label}${child.optional === true ? ' optional' : ''}`, ...words(child, `${depth}-`)]
  })
}

function vm(spec: Partial<VirtualMachineSpec>, status: VirtualMachine['status'] = {}): VirtualMachine {
  return { metadata: { name: 'web', namespace: 'ns' }, spec: { template: { spec: { domain: { devices: {} } } }, ...spec }, status }
}

const guest = (spec: Partial<VirtualMachineInstanceSpec>): Partial<VirtualMachineSpec> => ({
  template: { spec: { domain: { devices: {} }, ...spec } },
})
const small = { name: 'small', kind: 'virtualmachineinstancetype', revisionName: 'small-1' }
const used = { instancetypeRef: { controllerRevisionRef: { name: 'small-2' } } }

const table: readonly (readonly [string, VirtualMachine, readonly string[]])[] = [
  ['a VM without anything', vm({}), []],
  [
    'an instance type and a preference of the cluster',
    vm({ instancetype: small, preference: { name: 'linux' } }),
    [
      'VirtualMachineInstancetype ns/small config optional',
      'ControllerRevision ns/small-1 config',
      'VirtualMachineClusterPreference /linux config optional',
    ],
  ],
  [
    'the revision in use',
    vm({ instancetype: small }, used),
    ['VirtualMachineInstancetype ns/small config optional', 'ControllerRevision ns/small-2 config'],
  ],
  [
    'credentials and volumes',
    vm(
      guest({
        accessCredentials: [
          { sshPublicKey: { source: { secret: { secretName: 'keys' } }, propagationMethod: { noCloud: {} } } },
          { userPassword: { source: { secret: { secretName: 'words' } }, propagationMethod: { qemuGuestAgent: {} } } },
        ],
        volumes: [
          { name: 'a', dataVolume: { name: 'root' } },
          { name: 'b', persistentVolumeClaim: { claimName: 'data' } },
          { name: 'c', configMap: { name: 'map' } },
          { name: 'd', secret: { secretName: 'secret' } },
          { name: 'e', serviceAccount: { serviceAccountName: 'account' } },
          { name: 'f', cloudInitNoCloud: { secretRef: { name: 'user' }, networkDataSecretRef: { name: 'network' } } },
          { name: 'g', emptyDisk: { capacity: '1Gi' } },
        ],
      }),
    ),
    [
      'Secret ns/keys config',
      'Secret ns/words config',
      'DataVolume ns/root storage',
      '-PersistentVolumeClaim ns/root storage',
      'PersistentVolumeClaim ns/data storage',
      'ConfigMap ns/map config',
      'Secret ns/secret config',
      'ServiceAccount ns/account config',
      'Secret ns/user config',
      'Secret ns/network config',
    ],
  ],
  [
    'networks',
    vm(
      guest({
        networks: [
          { name: 'a', pod: {} },
          { name: 'b', multus: { networkName: 'blue' } },
          { name: 'c', multus: { networkName: 'other/red' } },
        ],
      }),
    ),
    ['NetworkAttachmentDefinition ns/blue network optional', 'NetworkAttachmentDefinition other/red network optional'],
  ],
]

suite('graphOfVm()', () => {
  for (const [what, object, expected] of table)
    test(what, () => {
      assert.deepEqual(words(graphOfVm(object, nothing, everything)), expected)
    })

  test('lists the launcher pod of a guest, and the claim with its state', () => {
    const objects = { pod: { metadata: { name: 'launcher' } }, stateClaim: 'state' }
    const of = vm({}, { created: true })
    const below = ['Pod ns/launcher compute', 'PersistentVolumeClaim ns/state storage']
    assert.deepEqual(words(graphOfVm(of, objects, everything)), ['VirtualMachineInstance ns/web compute', `-${below[0]}`, below[1]])
    const vmi = { metadata: of.metadata, spec: of.spec.template.spec }
    assert.deepEqual(words(graphOfVmi(vmi, objects, everything)), below)
  })

  test('leaves out what is not asked for', () => {
    const of = vm({ ...guest({ volumes: [{ name: 'a', dataVolume: { name: 'root' } }] }), instancetype: small }, { created: true })
    const selector = labelSelectorFromObject({ matchLabels: { 'kubevirt.io/dependency-type': 'storage' } })
    assert.deepEqual(words(graphOfVm(of, nothing, { includesOptional: true, selector })), [
      'DataVolume ns/root storage',
      '-PersistentVolumeClaim ns/root storage',
    ])
    assert.equal(
      words(graphOfVm(of, nothing, { ...everything, includesOptional: false })).some((word) => word.includes('optional')),
      false,
    )
  })
})
