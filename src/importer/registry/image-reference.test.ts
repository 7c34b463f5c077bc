import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { parseArchiveAddress } from './archive-reader.ts'
import { parseImageReference } from './image-reference.ts'

const digest = `sha256:${'a'.repeat(64)}`

suite('parseImageReference()', () => {
  const cases: Readonly<Record<string, readonly [host: string, repository: string, version: string]>> = {
    'docker://quay.io/containerdisks/fedora:latest': ['quay.io', 'containerdisks/fedora', 'latest'],
    'quay.io/containerdisks/fedora': ['quay.io', 'containerdisks/fedora', 'latest'],
    'localhost:5000/a/b-c/d_e:v1.2': ['localhost:5000', 'a/b-c/d_e', 'v1.2'],
    'localhost/disk': ['localhost', 'disk', 'latest'],
    [`registry.test/disk:tag@${digest}`]: ['registry.test', 'disk', digest],
    alpine: ['registry-1.docker.io', 'library/alpine', 'latest'],
    'kubevirt/cirros:1': ['registry-1.docker.io', 'kubevirt/cirros', '1'],
    'docker.io/busybox': ['registry-1.docker.io', 'library/busybox', 'latest'],
    '[::1]:5000/disk': ['[::1]:5000', 'disk', 'latest'],
  }
  for (const [text, [host, repository, version]] of Object.entries(cases))
    test(text, () => {
      const found = parseImageReference(text)
      assert.deepEqual([found.host, found.repository, found.version, found.isDigest], [host, repository, version, version === digest])
    })

  for (const text of [
    '',
    'docker://',
    'quay.io/../etc',
    'quay.io/A',
    'quay.io/a:t@sha256:12',
    'a b',
    'https://quay.io/a',
    'quay.io//a',
    'u:p@quay.io/a',
    'quay.io/a?b',
  ])
    test(`refuses "${text}"`, () => {
      assert.throws(() => parseImageReference(text))
    })
})

test('parseArchiveAddress() reads paths with tags', () => {
  assert.deepEqual(parseArchiveAddress('oci-archive:///data/image.tar'), { path: '/data/image.tar', version: '' })
  assert.deepEqual(parseArchiveAddress('oci-archive:/data/image.tar:v1'), { path: '/data/image.tar', version: 'v1' })
  assert.throws(() => parseArchiveAddress('oci-archive://relative'))
})
