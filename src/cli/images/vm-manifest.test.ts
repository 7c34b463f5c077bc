import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { CommandError } from '../context.ts'
import { parseSshKey, vmManifest, type VmWish } from './vm-manifest.ts'

const wish: VmWish = { namespace: 'ns', name: 'web', origin: { kind: 'dataSource', name: 'fedora' }, imageLabels: {} }
const key = 'ssh-ed25519 AAAAC3Nza me@here'
const labels = {
  'instancetype.kubevirt.io/default-instancetype': 'u1.small',
  'instancetype.kubevirt.io/default-preference': 'fedora',
}

suite('vmManifest()', () => {
  const hardware: readonly (readonly [name: string, part: Partial<VmWish>, instancetype: unknown, preference: unknown])[] = [
    ['labels of the image', { imageLabels: labels }, { inferFromVolume: 'root' }, { inferFromVolume: 'root' }],
    ['--type before labels', { imageLabels: labels, instancetype: 'u1.nano' }, { name: 'u1.nano' }, { inferFromVolume: 'root' }],
    ['--memory in place of a type', { imageLabels: labels, memory: '1Gi' }, undefined, { inferFromVolume: 'root' }],
    [
      'namespaced kinds',
      { instancetype: 'vmf/own', preference: 'vmp/own' },
      { name: 'own', kind: 'VirtualMachineInstancetype' },
      { name: 'own', kind: 'VirtualMachinePreference' },
    ],
  ]
  for (const [name, part, instancetype, preference] of hardware) {
    test(`hardware: ${name}`, () => {
      const { spec } = vmManifest({ ...wish, ...part })
      assert.deepEqual([spec.instancetype, spec.preference], [instancetype, preference])
    })
  }
  test('the bus is virtio unless a preference chooses it', () => {
    const disks = (part: Partial<VmWish>): unknown => vmManifest({ ...wish, ...part }).spec.template.spec.domain.devices?.disks
    assert.deepEqual(disks({ memory: '1Gi' }), [{ name: 'root', disk: { bus: 'virtio' } }])
    assert.deepEqual(disks({ memory: '1Gi', preference: 'fedora' }), [{ name: 'root', disk: {} }])
  })
  const sources: readonly (readonly [name: string, part: Partial<VmWish>, template: unknown])[] = [
    [
      'a DataSource of another namespace',
      { origin: { kind: 'dataSource', namespace: 'golden', name: 'fedora' } },
      { metadata: { name: 'web-root' }, spec: { sourceRef: { kind: 'DataSource', namespace: 'golden', name: 'fedora' }, storage: {} } },
    ],
    [
      'a registry',
      { origin: { kind: 'registry', url: 'docker://a/b' }, size: '10Gi', storageClass: 'fast' },
      {
        metadata: { name: 'web-root' },
        spec: {
          source: { registry: { url: 'docker://a/b' } },
          storage: { resources: { requests: { storage: '10Gi' } }, storageClassName: 'fast' },
        },
      },
    ],
    [
      'a file',
      { origin: { kind: 'file', path: './a' }, size: '1Gi' },
      {
        metadata: { name: 'web-root', annotations: { 'cdi.kubevirt.io/storage.bind.immediate.requested': 'true' } },
        spec: { source: { upload: {} }, storage: { resources: { requests: { storage: '1Gi' } } } },
      },
    ],
  ]
  for (const [name, part, template] of sources) {
    test(`disk: ${name}`, () => assert.deepEqual(vmManifest({ ...wish, memory: '1Gi', ...part }).spec.dataVolumeTemplates, [template]))
  }
  test('cloud-init gets the key and the user, quoted as YAML', () => {
    const { volumes = [] } = vmManifest({ ...wish, memory: '1Gi', sshKey: key, user: 'a: b' }).spec.template.spec
    const userData = volumes.find(({ name }) => name === 'cloudinit')?.cloudInitNoCloud?.userData ?? ''
    assert.match(userData, /^#cloud-config\n/)
    assert.match(userData, /user: ['"]a: b['"]/)
    assert.ok(userData.includes(key))
  })
  for (const part of [{}, { instancetype: 'u1.nano', memory: '1Gi' }, { instancetype: 'vmp/x' }, { instancetype: 'a/b/c' }])
    test(`refuses ${JSON.stringify(part)}`, () => assert.throws(() => vmManifest({ ...wish, ...part }), CommandError))
})

suite('parseSshKey()', () => {
  test('takes a public key', () => assert.equal(parseSshKey(`${key}\n`, 'f'), key))
  test('never takes a private key', () =>
    assert.throws(() => parseSshKey('-----BEGIN OPENSSH PRIVATE KEY-----\nx', 'id'), /private key.*id\.pub/))
  for (const content of ['', 'hello', `${key}\n${key}`])
    test(`refuses "${content.slice(0, 10)}"`, () => assert.throws(() => parseSshKey(content, 'f'), CommandError))
})
