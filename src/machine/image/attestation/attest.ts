import { createHash } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { LayoutWriter } from '#oci/image/image-layout.ts'
import { MEDIA, type Descriptor } from '#oci/image/media-types.ts'
import { writeReferrer, type WrittenImage } from '#oci/image/write-image.ts'
import type { SourceRevision } from '../source-revision.ts'
import type { DebianPackage } from './debian-packages.ts'
import type { NpmPackage } from './npm-packages.ts'
import { provenanceStatement, type ProvenanceFacts } from './provenance.ts'
import { debianPackageUrl, spdxDocument, type SbomFacts } from './sbom.ts'

/** Folder of the documents in a layout. */
export const ATTESTATIONS = 'attestations'

/** Facts that all images of a build have in common. */
export interface BuildFacts {
  readonly version: string
  readonly revision: SourceRevision
  readonly distribution: SbomFacts['distribution']
  readonly parameters: ProvenanceFacts['parameters']
  readonly environment: ProvenanceFacts['environment']
  readonly missing: readonly string[]
  readonly packageLock: string
}

/** What an image is made of. */
export interface ImageParts {
  readonly npm: readonly NpmPackage[]
  readonly node?: NpmPackage
  readonly debian: readonly DebianPackage[]
  /** Files of this machine that belong to no package. */
  readonly files: readonly { readonly path: string; readonly from: string }[]
}

/**
 * Attaches SBOM and provenance to an image, and writes them as files beside the layout's blobs.
 * Returns the descriptors of both artifacts.
 */
export async function attest(
  layout: LayoutWriter,
  image: WrittenImage,
  build: BuildFacts,
  parts: ImageParts,
): Promise<readonly Descriptor[]> {
  const { reference, descriptor } = image
  const created = build.revision.created.toISOString().replace('.000Z', 'Z')
  const name = reference.slice(reference.lastIndexOf('/') + 1, reference.lastIndexOf(':'))
  const folder = join(layout.folder, ATTESTATIONS)
  await mkdir(folder, { recursive: true })
  const attach = async (type: string, title: string, document: object): ReturnType<typeof writeReferrer> => {
    const content = `${JSON.stringify(document, null, 2)}\n`
    await writeFile(join(folder, title), content)
    return writeReferrer(layout, image, { type, title, created, content })
  }
  const files = await Promise.all(parts.files.map(async ({ path, from }) => ({ path: `/${path}`, ...sumsOf(await readFile(from)) })))
  const sbom = spdxDocument({ ...build, ...parts, reference, digest: descriptor.digest, created, files })
  const attachedSbom = await attach(MEDIA.spdx, `${name}.spdx.json`, sbom)
  const provenance = provenanceStatement({
    ...build,
    reference,
    digest: descriptor.digest,
    packages: parts.debian.map((each) => debianPackageUrl(each, build.distribution)),
    sbom: attachedSbom.document.digest,
  })
  const attachedProvenance = await attach(MEDIA.inToto, `${name}.provenance.json`, provenance)
  return [attachedSbom.artifact, attachedProvenance.artifact]
}

function sumsOf(content: Uint8Array): { readonly sha1: string; readonly sha256: string } {
  const sum = (algorithm: string): string => createHash(algorithm).update(content).digest('hex')
  return { sha1: sum('sha1'), sha256: sum('sha256') }
}
