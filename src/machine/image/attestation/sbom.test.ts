import assert from 'node:assert/strict'
import { test } from 'node:test'
import { spdxDocument } from './sbom.ts'

interface Spdx {
  readonly packages: readonly {
    readonly SPDXID: string
    readonly name: string
    readonly licenseDeclared: string
    readonly licenseComments?: string
  }[]
  readonly relationships: readonly { readonly relatedSpdxElement: string }[]
}

const debian = { version: '1:2.0-1', architecture: 'amd64', source: 'source', record: '' }
const facts = {
  reference: 'localhost:5000/team/virt-api:v1.0.0',
  digest: `sha256:${'a'.repeat(64)}`,
  version: 'v1.0.0',
  created: '2026-01-02T03:04:05Z',
  distribution: { id: 'debian', version: '12' },
  npm: [
    { name: '@x/y', version: '1.0.0', license: '(MIT OR Apache-2.0)' },
    { name: 'closed', version: '1.0.0', license: 'SEE LICENSE IN file' },
    { name: 'private', version: '1.0.0', license: 'UNLICENSED' },
  ],
  debian: [
    { ...debian, name: 'libstdc++6', license: 'GPL-3.0-or-later', unknownLicenses: [] },
    { ...debian, name: 'special', unknownLicenses: ['X-own'] },
  ],
  files: [{ path: '/opt/qemu', sha1: '1', sha256: '2' }],
}

test('an SBOM declares licences that SPDX knows, and quotes or leaves out the others', () => {
  const { packages } = spdxDocument(facts) as Spdx
  const licenses = Object.fromEntries(packages.map(({ name, licenseDeclared }) => [name, licenseDeclared]))
  assert.deepEqual(licenses, {
    'localhost:5000/team/virt-api': 'NOASSERTION',
    steadyvm: 'Apache-2.0',
    '@x/y': '(MIT OR Apache-2.0)',
    closed: 'NOASSERTION',
    private: 'NOASSERTION',
    'libstdc++6': 'GPL-3.0-or-later',
    special: 'NOASSERTION',
  })
  assert.ok(packages.find(({ name }) => name === 'special')?.licenseComments?.includes('X-own'))
})

test('an SBOM has package URLs by which scanners find vulnerabilities', () => {
  const text = JSON.stringify(spdxDocument(facts))
  for (const url of [
    'pkg:npm/%40x/y@1.0.0',
    'pkg:deb/debian/libstdc%2B%2B6@1%3A2.0-1?arch=amd64&distro=debian-12',
    `pkg:oci/virt-api@sha256%3A${'a'.repeat(64)}?repository_url=localhost%3A5000%2Fteam%2Fvirt-api&tag=v1.0.0`,
  ])
    assert.ok(text.includes(JSON.stringify(url)), url)
})

test('an SBOM relates each of its elements, which have valid identifiers', () => {
  const { packages, relationships } = spdxDocument(facts) as Spdx
  const related = new Set(relationships.map(({ relatedSpdxElement }) => relatedSpdxElement))
  for (const { SPDXID } of packages) {
    assert.match(SPDXID, /^SPDXRef-[A-Za-z0-9.-]+$/)
    assert.ok(related.has(SPDXID), SPDXID)
  }
  assert.ok(related.has('SPDXRef-File-0'))
})
