import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { makeNoCloudSeed } from './cloud-init.ts'
import { makeIsoImage } from './iso-image.ts'

/** Reads an image as a Joliet-aware operating system does, from its descriptors alone. */
function readImage(image: Buffer): { label: string; files: Record<string, string> } {
  const descriptors = Array.from({ length: 3 }, (_, index) => image.subarray((16 + index) * 2048, (17 + index) * 2048))
  assert.deepEqual(
    descriptors.map((descriptor) => [descriptor[0], descriptor.toString('latin1', 1, 6)]),
    [
      [1, 'CD001'],
      [2, 'CD001'],
      [255, 'CD001'],
    ],
  )
  const [primary, joliet] = descriptors
  assert.ok(primary !== undefined && joliet !== undefined)
  assert.equal(primary.readUInt32LE(80) * 2048, image.length)
  assert.equal(primary.readUInt32BE(84) * 2048, image.length)
  assert.equal(joliet.toString('latin1', 88, 91), '%/E')
  const start = joliet.readUInt32LE(156 + 2) * 2048
  const directory = image.subarray(start, start + joliet.readUInt32LE(156 + 10))
  const files: Record<string, string> = {}
  for (let offset = 0; (directory[offset] ?? 0) > 0; offset += directory[offset] ?? 0) {
    const length = directory[offset + 32] ?? 0
    if (length === 1) continue
    const name = Buffer.from(directory.subarray(offset + 33, offset + 33 + length))
      .swap16()
      .toString('utf16le')
    const at = directory.readUInt32LE(offset + 2) * 2048
    files[name] = image.toString('utf8', at, at + directory.readUInt32LE(offset + 10))
  }
  return { label: primary.toString('latin1', 40, 72).trim(), files }
}

const vmi: VirtualMachineInstance = {
  metadata: { name: 'web', uid: 'u', annotations: { 'kubevirt.io/instancetype-name': 'small' } },
  spec: { domain: { devices: {}, firmware: { uuid: 'the-uuid' } }, hostname: 'www' },
}

suite('makeIsoImage()', () => {
  test('round-trips its files', () => {
    const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,20}$/)
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(name, fc.string({ maxLength: 5000 })), { maxLength: 6, selector: ([each]) => each }),
        (entries) => {
          const files = entries.map(([each, content]) => ({ name: each, content: Buffer.from(content) }))
          const read = readImage(makeIsoImage('cidata', files))
          assert.equal(read.label, 'cidata')
          assert.deepEqual(read.files, Object.fromEntries(files.map((file) => [file.name, file.content.toString()])))
        },
      ),
    )
  })
})

suite('makeNoCloudSeed()', () => {
  test('contains user data, network data and metadata', () => {
    const { label, files } = readImage(
      makeNoCloudSeed(vmi, { userData: '#cloud-config\n', networkDataBase64: 'dmVyc2lvbjogMg==' }, { sshKeys: [] }),
    )
    assert.equal(label, 'cidata')
    assert.deepEqual(JSON.parse(files['meta-data'] ?? ''), { 'instance-id': 'the-uuid', 'local-hostname': 'www', 'instance-type': 'small' })
    assert.equal(files['user-data'], '#cloud-config\n')
    assert.equal(files['network-config'], 'version: 2')
  })

  test('takes data and keys of Secrets', () => {
    const secret = { userData: Buffer.from('#!/bin/sh\n'), sshKeys: ['ssh-ed25519 AAAA me'] }
    const { files } = readImage(makeNoCloudSeed(vmi, { secretRef: { name: 's' } }, secret))
    assert.equal(files['user-data'], '#!/bin/sh\n')
    const { 'public-keys': keys } = JSON.parse(files['meta-data'] ?? '') as Record<string, unknown>
    assert.deepEqual(keys, { 0: 'ssh-ed25519 AAAA me' })
  })
})
