import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { promisify } from 'node:util'
import { labelsOf } from '#importer/registry/image-labels.ts'
import { blobPath, readConfig } from '#oci/image/image-layout.ts'
import { buildContainerDisk, environmentOf } from './container-disk.ts'

suite('a containerDisk', () => {
  let folder = ''
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'container-disk-'))
  })
  after(() => rm(folder, { recursive: true }))

  test('has one layer with the disk, which belongs to the user of QEMU', async () => {
    const disk = join(folder, 'disk.qcow2')
    await writeFile(disk, 'content')
    const labels = { 'instancetype.kubevirt.io/default-preference': 'fedora' }
    const layout = join(folder, 'layout')
    const image = await buildContainerDisk({ folder: layout, disk, name: 'root', labels, architecture: 'arm64', now: 0 })
    const [layer, ...others] = image.manifest.layers
    assert.ok(layer !== undefined && others.length === 0)
    const { stdout } = await promisify(execFile)('tar', ['-tvzf', blobPath(layout, layer.digest), '--numeric-owner'])
    assert.match(stdout, /^dr-xr-xr-x 107\/107 +0 .* disk\/\n-r--r----- 107\/107 +7 .* disk\/root\.qcow2\n$/)
    const { architecture, config, rootfs } = await readConfig(layout, image.manifest)
    assert.equal(architecture, 'arm64')
    assert.deepEqual(config.Env, ['INSTANCETYPE_KUBEVIRT_IO_DEFAULT_PREFERENCE=fedora'])
    assert.equal(rootfs.diff_ids.length, 1)
    assert.deepEqual(await readdir(folder), ['layout'], 'the disk takes space beside its layer')
  })

  test('carries the labels that an import makes of it again, and no others', () => {
    const labels = Object.fromEntries(
      ['default-instancetype', 'default-instancetype-kind', 'default-preference', 'default-preference-kind'].map((name, index) => [
        `instancetype.kubevirt.io/${name}`,
        `value-${index}`,
      ]),
    )
    assert.deepEqual(labelsOf(environmentOf({ ...labels, app: 'web', 'kubevirt.io/created-by': 'x' })), labels)
  })
})
