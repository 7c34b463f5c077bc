import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { exitCodes, TaskFailed } from '../../exit-codes.ts'
import { readParameters } from '../../program/parameters.ts'
import { readUpload, uploaderParameters, type Upload } from './parameters.ts'

const given = {
  'export-source-kind': 'vm',
  'export-source-name': 'web',
  'volume-name': 'root',
  'image-destination': 'quay.io/team/disk:v1',
  'secret-name': 'login',
}

function read(flags: Readonly<Record<string, string>>): Upload {
  const args = Object.entries({ ...given, ...flags }).map(([name, value]) => `--${name}=${value}`)
  return readUpload(readParameters({ name: 'disk-uploader', parameters: uploaderParameters }, args, {}))
}

suite('readUpload', () => {
  test('reads what is uploaded, and where to', () => {
    assert.deepEqual(read({}), {
      source: { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'web' },
      volume: 'root',
      destination: { host: 'quay.io', repository: 'team/disk', version: 'v1', isDigest: false },
      pushTimeoutMs: 7_200_000,
    })
    assert.equal(read({ 'export-source-kind': 'vmsnapshot' }).source.kind, 'VirtualMachineSnapshot')
    assert.equal(read({ 'export-source-kind': 'pvc', 'export-source-name': 'root' }).source.apiGroup, '')
    assert.equal(read({ 'push-timeout': '1' }).pushTimeoutMs, 60_000)
    assert.equal(read({ 'image-destination': 'team/disk' }).destination.host, 'registry-1.docker.io')
  })

  const refused: readonly (readonly [Readonly<Record<string, string>>, RegExp])[] = [
    [{ 'export-source-kind': 'VirtualMachine' }, /EXPORT_SOURCE_KIND must be one of vm, vmsnapshot, pvc/],
    [{ 'export-source-kind': 'toString' }, /EXPORT_SOURCE_KIND/],
    [{ 'export-source-name': 'A b' }, /EXPORT_SOURCE_NAME/],
    [{ 'volume-name': '../root' }, /VOLUME_NAME/],
    [{ 'export-source-kind': 'pvc' }, /VOLUME_NAME must be "web"/],
    [{ 'push-timeout': '0' }, /PUSH_TIMEOUT/],
    [{ 'push-timeout': '2h' }, /PUSH_TIMEOUT/],
    [{ 'push-timeout': '99999' }, /PUSH_TIMEOUT/],
    [{ 'image-destination': 'Quay.io/Team' }, /IMAGE_DESTINATION/],
    [{ 'image-destination': `quay.io/team/disk@sha256:${'0'.repeat(64)}` }, /image with a tag/],
    [{ 'secret-name': '' }, /--secret-name/],
  ]
  for (const [flags, message] of refused)
    test(`refuses ${JSON.stringify(flags)}`, () =>
      assert.throws(
        () => read(flags),
        (error: unknown) => {
          assert.ok(error instanceof TaskFailed)
          assert.equal(error.exitCode, exitCodes.badInput)
          assert.match(error.message, message)
          return true
        },
      ))
})
