import { createHash } from 'node:crypto'
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CustomResourceDefinition } from '#api/apiextensions/v1/custom-resource-definition.ts'
import { release } from '#features/upgrade-check/clean-cluster.fixture.ts'
import { repository } from '../machine.ts'

/** Changes to the description of a fake release. */
export interface ReleaseChanges {
  readonly facts?: object
  readonly qemu?: object
  /** Changes the CRDs of the release. */
  readonly definitions?: (definitions: CustomResourceDefinition[]) => CustomResourceDefinition[]
  /** Actual and expected content of a file. */
  readonly file?: readonly [is: string, shouldBe: string]
}

/** Writes the description of a release into the folder of all releases, without programs. */
export function writeRelease(releases: string, version: string, definitionsText: string, changes: ReleaseChanges): void {
  const { qemu, ...facts } = release(version)
  const folder = join(releases, version)
  mkdirSync(join(folder, 'manifests'), { recursive: true })
  const definitions = JSON.parse(definitionsText) as CustomResourceDefinition[]
  const { upgradesFrom, featureGates, revisionVersions } = facts
  const manifest = {
    version,
    qemu: { folder: '/usr', ...qemu, ...changes.qemu },
    facts: { upgradesFrom, featureGates, revisionVersions, ...changes.facts },
    components: {},
    files: changes.file === undefined ? {} : { program: createHash('sha256').update(changes.file[1]).digest('hex') },
  }
  if (changes.file !== undefined) writeFileSync(join(folder, 'program'), changes.file[0])
  writeFileSync(join(folder, 'release.json'), JSON.stringify(manifest))
  writeFileSync(join(folder, 'manifests', 'crds.generated.json'), JSON.stringify(changes.definitions?.(definitions) ?? definitions))
  for (const file of ['access.generated.json', 'registrations.generated.json'])
    copyFileSync(join(repository, 'manifests', file), join(folder, 'manifests', file))
  chmodSync(folder, 0o700)
}
