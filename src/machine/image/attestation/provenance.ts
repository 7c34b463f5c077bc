import type { SourceRevision } from '../source-revision.ts'

/** Facts of a build for the provenance of one image. */
export interface ProvenanceFacts {
  readonly reference: string
  /** Digest of the image's manifest. */
  readonly digest: string
  readonly revision: SourceRevision
  /** What the command was given. */
  readonly parameters: Readonly<Record<string, string>>
  /** Versions of what the build ran on. */
  readonly environment: Readonly<Record<string, string>>
  /** What is missing on the machine, and so in the image. */
  readonly missing: readonly string[]
  /** SHA-256 of package-lock.json. */
  readonly packageLock: string
  /** Debian packages, as package URL. */
  readonly packages: readonly string[]
  /** Digest of the SBOM. */
  readonly sbom: string
}

/** Identifies the parameters below: SLSA wants a URI. */
const BUILD_TYPE = 'https://steadyvm.io/image-build/v1'

/**
 * Renders the provenance of an image: an in-toto statement with a SLSA v1 predicate. It is not
 * signed, and so a record, not a proof. It has no times of the build: the same build gives the same
 * statement. Pure.
 */
export function provenanceStatement(facts: ProvenanceFacts): object {
  const { reference, digest, revision, parameters, environment, missing, packageLock, packages, sbom } = facts
  const { commit, isDirty, created } = revision
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name: reference, digest: sha256(digest) }],
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: BUILD_TYPE,
        externalParameters: parameters,
        internalParameters: {
          sourceDateEpoch: created.getTime() / 1000,
          isDirty,
          ...environment,
          ...(missing.length === 0 ? {} : { missing }),
        },
        resolvedDependencies: [
          ...(commit === undefined ? [] : [{ name: 'source', digest: { gitCommit: commit }, annotations: { isDirty } }]),
          { name: 'package-lock.json', digest: { sha256: packageLock } },
          ...packages.map((uri) => ({ uri })),
        ],
      },
      runDetails: {
        builder: { id: `${BUILD_TYPE}/local` },
        byproducts: [{ name: 'sbom', mediaType: 'application/spdx+json', digest: sha256(sbom) }],
      },
    },
  }
}

function sha256(digest: string): { readonly sha256: string } {
  return { sha256: digest.replace('sha256:', '') }
}
