import type { DebianPackage } from './debian-packages.ts'
import type { NpmPackage } from './npm-packages.ts'

/** Facts of an image for its SBOM. */
export interface SbomFacts {
  /** `steadyvm.io/virt-api:v0.1.0`. */
  readonly reference: string
  /** Digest of the image's manifest. */
  readonly digest: string
  readonly version: string
  readonly created: string
  /** Package URLs name it: `debian-12`. */
  readonly distribution: { readonly id: string; readonly version: string }
  readonly npm: readonly NpmPackage[]
  /** Absent in images without Node. */
  readonly node?: NpmPackage
  readonly debian: readonly DebianPackage[]
  /** Files of no package, such as those of a QEMU that was built from source. */
  readonly files: readonly { readonly path: string; readonly sha1: string; readonly sha256: string }[]
}

interface SpdxPackage {
  readonly SPDXID: string
  readonly name: string
  readonly versionInfo: string
  readonly downloadLocation: string
  readonly filesAnalyzed: false
  readonly licenseConcluded: 'NOASSERTION'
  readonly licenseDeclared: string
  readonly [field: string]: unknown
}

const unknown = 'NOASSERTION'

/** Renders the bill of materials of an image: an SPDX 2.3 document. Pure, and reproducible. */
export function spdxDocument(facts: SbomFacts): object {
  const image = imagePackage(facts)
  const contents = [
    ownPackage(facts),
    ...facts.npm.map((each) => npmPackage(each)),
    ...(facts.node === undefined ? [] : [nodePackage(facts.node)]),
    ...facts.debian.map((each) => debianPackage(each, facts.distribution)),
  ]
  const files = facts.files.map(({ path, sha1, sha256 }, index) => ({
    SPDXID: `SPDXRef-File-${index}`,
    fileName: `.${path}`,
    checksums: [
      { algorithm: 'SHA1', checksumValue: sha1 },
      { algorithm: 'SHA256', checksumValue: sha256 },
    ],
    licenseConcluded: unknown,
    copyrightText: unknown,
  }))
  const contains = [...contents, ...files].map(({ SPDXID }) => ({
    spdxElementId: image.SPDXID,
    relationshipType: 'CONTAINS',
    relatedSpdxElement: SPDXID,
  }))
  return {
    spdxVersion: 'SPDX-2.3',
    dataLicense: 'CC0-1.0',
    SPDXID: 'SPDXRef-DOCUMENT',
    name: facts.reference,
    documentNamespace: `https://steadyvm.io/sbom/${facts.digest.replace(':', '-')}`,
    creationInfo: { created: facts.created, creators: [`Tool: steadyvm-${facts.version}`] },
    packages: [image, ...contents],
    ...(files.length === 0 ? {} : { files }),
    relationships: [{ spdxElementId: 'SPDXRef-DOCUMENT', relationshipType: 'DESCRIBES', relatedSpdxElement: image.SPDXID }, ...contains],
  }
}

function imagePackage({ reference, digest, version }: SbomFacts): SpdxPackage {
  const repository = reference.slice(0, reference.lastIndexOf(':'))
  const name = repository.slice(repository.lastIndexOf('/') + 1)
  const [, hex = ''] = digest.split(':')
  return {
    SPDXID: 'SPDXRef-Image',
    name: repository,
    versionInfo: version,
    downloadLocation: unknown,
    filesAnalyzed: false,
    licenseConcluded: unknown,
    licenseDeclared: unknown,
    copyrightText: unknown,
    primaryPackagePurpose: 'CONTAINER',
    checksums: [{ algorithm: 'SHA256', checksumValue: hex }],
    externalRefs: [packageUrl(`pkg:oci/${name}@sha256%3A${hex}?repository_url=${encodeURIComponent(repository)}&tag=${version}`)],
  }
}

/** steadyvm itself: the image around it has other licences, too. */
function ownPackage({ version }: SbomFacts): SpdxPackage {
  return {
    SPDXID: identifier('generic', 'steadyvm', version),
    name: 'steadyvm',
    versionInfo: version,
    downloadLocation: unknown,
    filesAnalyzed: false,
    licenseConcluded: unknown,
    licenseDeclared: 'Apache-2.0',
    copyrightText: unknown,
    externalRefs: [packageUrl(`pkg:generic/steadyvm@${version}`)],
  }
}

/** npm also allows `UNLICENSED` and `SEE LICENSE IN file`, which SPDX does not know. */
const SPDX_EXPRESSION = /^(?!UNLICENSED$)\(*[A-Za-z0-9.+-]+\)*( (AND|OR|WITH) \(*[A-Za-z0-9.+-]+\)*)*$/

function npmPackage({ name, version, license, sha512 }: NpmPackage): SpdxPackage {
  return {
    SPDXID: identifier('npm', name, version),
    name,
    versionInfo: version,
    downloadLocation: `https://registry.npmjs.org/${name}/-/${name.slice(name.lastIndexOf('/') + 1)}-${version}.tgz`,
    filesAnalyzed: false,
    licenseConcluded: unknown,
    licenseDeclared: license !== undefined && SPDX_EXPRESSION.test(license) ? license : unknown,
    copyrightText: unknown,
    ...(sha512 === undefined ? {} : { checksums: [{ algorithm: 'SHA512', checksumValue: sha512 }] }),
    externalRefs: [packageUrl(`pkg:npm/${name.replace('@', '%40')}@${version}`)],
  }
}

function nodePackage({ version }: NpmPackage): SpdxPackage {
  return {
    SPDXID: identifier('generic', 'node', version),
    name: 'node',
    versionInfo: version,
    downloadLocation: `https://nodejs.org/dist/v${version}/`,
    filesAnalyzed: false,
    licenseConcluded: unknown,
    licenseDeclared: 'MIT',
    copyrightText: unknown,
    externalRefs: [packageUrl(`pkg:generic/node@${version}`)],
  }
}

function debianPackage(each: DebianPackage, distribution: SbomFacts['distribution']): SpdxPackage {
  const { name, version, source, license, unknownLicenses } = each
  return {
    SPDXID: identifier('deb', name, version),
    name,
    versionInfo: version,
    downloadLocation: unknown,
    sourceInfo: `built from source package ${source}`,
    filesAnalyzed: false,
    licenseConcluded: unknown,
    licenseDeclared: license ?? unknown,
    ...(unknownLicenses.length === 0
      ? {}
      : { licenseComments: `Names in its copyright file without an SPDX identifier: ${unknownLicenses.join(', ')}` }),
    copyrightText: unknown,
    externalRefs: [packageUrl(debianPackageUrl(each, distribution))],
  }
}

/**
 * Returns the package URL of a Debian package:
 * `pkg:deb/debian/libc6@2.36-9?arch=amd64&distro=debian-12`.
 */
export function debianPackageUrl(
  { name, version, architecture }: DebianPackage,
  { id, version: release }: SbomFacts['distribution'],
): string {
  return `pkg:deb/${id}/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${architecture}&distro=${id}-${release}`
}

function packageUrl(referenceLocator: string): object {
  return { referenceCategory: 'PACKAGE-MANAGER', referenceType: 'purl', referenceLocator }
}

/** SPDX identifiers have letters, digits, dots and hyphens. */
function identifier(...parts: readonly string[]): string {
  return `SPDXRef-${parts.join('-').replaceAll(/[^A-Za-z0-9.-]/g, '-')}`
}
