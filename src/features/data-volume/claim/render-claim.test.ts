import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import type { DataVolumeSpec, StorageSpec } from '#api/cdi/v1beta1/data-volume-spec.ts'
import type { ClaimPropertySet, StorageProfile } from '#api/cdi/v1beta1/storage-profile.ts'
import type { StorageClass } from '#api/storage/v1/storage-class.ts'
import { inflated } from '#features/storage-profile/index.ts'
import { renderClaim, type RenderingInput } from './render-claim.ts'

const isDefault = { 'storageclass.kubernetes.io/is-default-class': 'true' }
const isVirtDefault = { 'storageclass.kubevirt.io/is-default-virt-class': 'true' }

function storageClass(name: string, annotations: Record<string, string> = {}): StorageClass {
  return { metadata: { name, annotations }, provisioner: 'p' }
}

function profile(sets: ClaimPropertySet[], minimum?: string): StorageProfile {
  const annotations = minimum === undefined ? {} : { 'cdi.kubevirt.io/minimumSupportedPvcSize': minimum }
  return { metadata: { annotations }, spec: {}, status: { claimPropertySets: sets } }
}

const blocks: ClaimPropertySet = { accessModes: ['ReadWriteMany'], volumeMode: 'Block' }
const files: ClaimPropertySet = { accessModes: ['ReadWriteOnce'], volumeMode: 'Filesystem' }
const size = { resources: { requests: { storage: '94Mi' } } }

function render(storage: StorageSpec, sets: ClaimPropertySet[], more: Partial<RenderingInput> & { contentType?: string } = {}): string {
  const { contentType, ...input } = more
  const spec: DataVolumeSpec = { storage, ...(contentType === undefined ? {} : { contentType }) }
  const { spec: claim, problem } = renderClaim({
    spec,
    classes: [storageClass('a', isDefault)],
    profile: () => profile(sets),
    settings: { overheadOf: () => 0.06 },
    copied: undefined,
    ...input,
  })
  if (claim === undefined) return `problem: ${problem}`
  return [claim.storageClassName, claim.accessModes?.join('+'), claim.volumeMode, claim.resources?.requests?.['storage']].join(' ')
}

suite('renderClaim()', () => {
  test('takes what the DataVolume says, and the rest from the StorageProfile', () => {
    assert.equal(render(size, [blocks, files]), 'a ReadWriteMany Block 94Mi')
    assert.equal(render({ ...size, volumeMode: 'Filesystem' }, [blocks, files]), 'a ReadWriteOnce Filesystem 100Mi')
    assert.equal(render({ ...size, accessModes: ['ReadWriteOnce'] }, [blocks, files]), 'a ReadWriteOnce Filesystem 100Mi')
    assert.equal(render({ ...size, accessModes: ['ReadWriteOnce'], volumeMode: 'Block' }, []), 'a ReadWriteOnce Block 94Mi')
    assert.equal(render({ ...size, accessModes: ['ReadOnlyMany'] }, [blocks]), 'a ReadOnlyMany  100Mi')
  })

  test('chooses the default class of guests before that of Kubernetes, but not for archives', () => {
    const classes = [storageClass('a', isDefault), storageClass('b', isVirtDefault)]
    assert.match(render(size, [files], { classes }), /^b /)
    assert.match(render(size, [files], { classes, contentType: 'archive' }), /^a ReadWriteOnce Filesystem 94Mi$/)
    assert.match(render({ ...size, storageClassName: 'a' }, [files], { classes }), /^a /)
  })

  test('says what is missing', () => {
    assert.match(render(size, [files], { classes: [] }), /no storageClass to choose profile/)
    assert.match(render({ ...size, storageClassName: 'c' }, [files]), /"c" not found/)
    assert.match(render(size, []), /no accessMode specified in StorageProfile a/)
    assert.match(render({}, [files]), /missing storage size/)
    assert.match(render({ ...size, volumeMode: 'Block' }, [files], { contentType: 'archive' }), /cannot have block volumeMode/)
  })

  test('raises a size to the least that the provisioner makes', () => {
    assert.equal(render(size, [], { profile: () => profile([blocks], '1Gi') }), 'a ReadWriteMany Block 1Gi')
  })

  test('takes the size of the volume that is copied', () => {
    const copied = { metadata: {}, spec: { volumeMode: 'Filesystem' }, status: { capacity: { storage: '50Mi' } } }
    assert.equal(render({}, [files], { copied }), 'a ReadWriteOnce Filesystem 50Mi')
    const device = { ...copied, spec: { volumeMode: 'Block' }, status: { capacity: { storage: '94Mi' } } }
    assert.equal(render({}, [files], { copied: device }), 'a ReadWriteOnce Filesystem 100Mi')
  })

  test('leaves a verbatim claim as it is', () => {
    const pvc = { accessModes: ['ReadWriteOnce'], ...size }
    const { spec } = renderClaim({
      spec: { pvc },
      classes: [],
      profile: () => undefined,
      settings: { overheadOf: () => 0.06 },
      copied: undefined,
    })
    assert.equal(spec, pvc)
  })
})

test('inflated() leaves room for the disk, and no byte more than needed', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 1n << 50n }), fc.integer({ min: 0, max: 900 }), (bytes, perMille) => {
      const volume = inflated(bytes, perMille / 1000)
      const usable = (of: bigint): bigint => (of * BigInt(1000 - perMille)) / 1000n
      assert.ok(usable(volume) >= bytes && usable(volume - 1n) < bytes)
    }),
  )
})
