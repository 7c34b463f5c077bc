import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { VirtualMachinePool, VirtualMachinePoolNameGeneration } from '#api/pool/v1beta1/virtual-machine-pool.ts'
import { deepFreeze } from '#apimachinery/equality.ts'
import { buildMember } from './build.ts'

function pool(nameGeneration?: VirtualMachinePoolNameGeneration): VirtualMachinePool {
  return deepFreeze({
    metadata: { name: 'web', namespace: 'shop', uid: 'u', generation: 4 },
    spec: {
      ...(nameGeneration === undefined ? {} : { nameGeneration }),
      selector: { matchLabels: { app: 'web' } },
      virtualMachineTemplate: {
        metadata: { labels: { app: 'web' }, annotations: { team: 'a' } },
        spec: {
          runStrategy: 'Always',
          dataVolumeTemplates: [{ metadata: { name: 'root' }, spec: {} }],
          template: {
            metadata: { labels: { tier: 'front' } },
            spec: {
              domain: { devices: {} },
              volumes: [
                { name: 'a', dataVolume: { name: 'root' } },
                { name: 'b', persistentVolumeClaim: { claimName: 'root' } },
                { name: 'c', persistentVolumeClaim: { claimName: 'shared' } },
                { name: 'd', configMap: { name: 'settings' } },
                { name: 'e', secret: { secretName: 'token' } },
                { name: 'f', cloudInitNoCloud: { secretRef: { name: 'user' }, networkDataSecretRef: { name: 'net' }, userData: 'x' } },
                { name: 'g', cloudInitConfigDrive: { secretRef: { name: 'user' } } },
              ],
            },
          },
        },
      },
    },
  })
}

suite('buildMember()', () => {
  test('makes a VM that the pool controls, with labels of the template and its revision', () => {
    const { metadata, spec } = buildMember(pool(), 2, 'web-4')
    assert.deepEqual(metadata, {
      name: 'web-2',
      namespace: 'shop',
      labels: { app: 'web', 'kubevirt.io/vm-pool-revision-name': 'web-4' },
      annotations: { team: 'a' },
      finalizers: ['pool.kubevirt.io/finalizer'],
      ownerReferences: [
        {
          apiVersion: 'pool.kubevirt.io/v1beta1',
          kind: 'VirtualMachinePool',
          name: 'web',
          uid: 'u',
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    })
    assert.deepEqual(spec.template.metadata, { labels: { tier: 'front', 'kubevirt.io/vm-pool-revision-name': 'web-4' } })
    assert.equal(spec.runStrategy, 'Always')
  })

  for (const [what, generation, names] of [
    ['gives it disks of its own', undefined, ['root-2', 'root-2', 'shared', 'settings', 'token', 'user', 'net', 'user']],
    ['and ConfigMaps', { appendIndexToConfigMapRefs: true }, ['root-2', 'root-2', 'shared', 'settings-2', 'token', 'user', 'net', 'user']],
    [
      'and Secrets, if asked for',
      { appendIndexToSecretRefs: true },
      ['root-2', 'root-2', 'shared', 'settings', 'token-2', 'user-2', 'net-2', 'user-2'],
    ],
  ] as const)
    test(what, () => {
      const { spec } = buildMember(pool(generation), 2, 'web-4')
      assert.deepEqual(spec.dataVolumeTemplates, [{ metadata: { name: 'root-2' }, spec: {} }])
      const used = spec.template.spec.volumes?.flatMap((volume) => [
        volume.dataVolume?.name,
        volume.persistentVolumeClaim?.claimName,
        volume.configMap?.name,
        volume.secret?.secretName,
        volume.cloudInitNoCloud?.secretRef?.name,
        volume.cloudInitNoCloud?.networkDataSecretRef?.name,
        volume.cloudInitConfigDrive?.secretRef?.name,
      ])
      assert.deepEqual(
        used?.filter((name) => name !== undefined),
        names,
      )
    })
})
