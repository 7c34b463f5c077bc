import type { CustomResourceDefinition } from '#api/apiextensions/v1/custom-resource-definition.ts'
import { storedVersionsOf } from '#features/api-versions/index.ts'
import { jsonPatch, mergePatch, type Finding } from '../finding.ts'
import { currentVersion, kubevirtPlace, releaseOf, type UpgradeInventory } from '../inventory.ts'

/** Finds API versions in which objects are stored and which the new release does not have. */
export function versionFindings(inventory: UpgradeInventory): Finding[] {
  const release = releaseOf(inventory, inventory.to)
  const kept = release?.definitions ?? {}
  return [
    ...inventory.definitions.flatMap((definition) => {
      const versions = kept[definition.metadata.name ?? '']
      return versions === undefined ? [] : storedFinding(inventory, definition, versions)
    }),
    ...revisionFindings(inventory, release?.revisionVersions),
  ]
}

function storedFinding(inventory: UpgradeInventory, definition: CustomResourceDefinition, versions: readonly string[]): Finding[] {
  const { name = '' } = definition.metadata
  const { storage, stale } = storedVersionsOf(definition)
  const lost = [...new Set([storage, ...stale])].filter((version) => !versions.includes(version))
  if (lost.length === 0) return []
  return [
    {
      id: 'StoredVersionVanishes',
      severity: 'forceable',
      object: `crd/${name}`,
      what: `Objects of ${name} may be stored in ${lost.join(', ')}, which ${inventory.to} does not know`,
      why: 'The version has to be kept for them, with nobody left who knows it: the upgrade could not be completed',
      command: storageCommand(inventory, definition, versions, storage),
    },
  ]
}

/**
 * Migrates stored objects; when the version to be removed is the storage version, changes that
 * first.
 */
function storageCommand(
  inventory: UpgradeInventory,
  { metadata, spec }: CustomResourceDefinition,
  versions: readonly string[],
  storage: string,
): string {
  const { name = '' } = metadata
  const rewrite = `steadyvm revisions migrate-storage ${name}`
  if (versions.includes(storage)) return rewrite
  const next = spec.versions.findLastIndex((version) => version.served && versions.includes(version.name))
  if (next < 0) {
    const { object, namespace } = kubevirtPlace(inventory)
    return mergePatch(object, namespace, { spec: { imageTag: currentVersion(inventory) ?? null } })
  }
  const now = spec.versions.findIndex((version) => version.name === storage)
  const operations = [
    { op: 'replace', path: `/spec/versions/${now}/storage`, value: false },
    { op: 'replace', path: `/spec/versions/${next}/storage`, value: true },
  ]
  return `${jsonPatch(`crd/${name}`, undefined, operations)} && ${rewrite}`
}

function revisionFindings({ revisions, to }: UpgradeInventory, versions: readonly string[] | undefined): Finding[] {
  if (revisions === undefined || versions === undefined) return []
  return revisions.findings.flatMap(({ namespace, revision, version, message, command, state }) => {
    const isReadable = version === undefined ? state !== 'undecodable' : versions.includes(version)
    if (isReadable) return []
    return [
      {
        id: 'RevisionInOldVersion',
        severity: 'blocking',
        object: `controllerrevision/${namespace}/${revision}`,
        what: `A copy of an instance type or preference is in ${version ?? 'a version that nobody knows'} and ${message}`,
        why: `${to} could not read it: who was sized by it could not be started any more`,
        command,
      } as const,
    ]
  })
}
