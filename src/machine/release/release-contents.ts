import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CustomResourceDefinition } from '#api/apiextensions/v1/custom-resource-definition.ts'
import type { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from '#api/admissionregistration/v1/webhook-configuration.ts'
import type { APIService } from '#api/apiregistration/v1/api-service.ts'
import type { ClusterRole, ClusterRoleBinding, Role } from '#api/rbac/v1/role.ts'
import type { Release } from './release.ts'

/** CRDs, RBAC rules and webhook registrations of a release. */
export interface ReleaseContents {
  readonly definitions: {
    /** Hash of the manifest, and number of CRDs. */
    readonly hash: string
    readonly count: number
    readonly read: () => Promise<readonly CustomResourceDefinition[]>
  }
  readonly access: readonly (ClusterRole | ClusterRoleBinding | Role)[]
  /** Webhook configurations. Undefined when the release's server registers itself. */
  readonly registrations: readonly (MutatingWebhookConfiguration | ValidatingWebhookConfiguration | APIService)[] | undefined
  /** Reads the rules for Prometheus. Undefined when the release has none. */
  readonly rules: (() => Promise<readonly RuleGroup[]>) | undefined
}

/** A group of recording rules and alerts of Prometheus. */
interface RuleGroup {
  readonly name: string
  readonly rules: readonly { readonly record?: string; readonly alert?: string; readonly expr: string }[]
}

/** Paths of CRDs, RBAC rules, webhooks, rules for Prometheus and upgrade patches in a release. */
export const RELEASE_CONTENTS = {
  definitions: 'manifests/crds.generated.json',
  access: 'manifests/access.generated.json',
  registrations: 'manifests/registrations.generated.json',
  rules: 'manifests/rules.generated.json',
  upgradePatches: 'manifests/upgradePatches.json',
} as const

/**
 * Reads the contents of releases: this one's from its own folder, others' from the folder of
 * releases. Caches all but the CRDs, which are large and rarely needed.
 */
export function createContentsReader(own: Release, releases: string): (version: string) => Promise<ReleaseContents> {
  const known = new Map<string, Promise<ReleaseContents>>()
  return (version) =>
    known.getOrInsertComputed(version, () => {
      const reading = readContents(version === own.version ? own.root : join(releases, version))
      reading.catch(() => known.delete(version))
      return reading
    })
}

async function readContents(root: string): Promise<ReleaseContents> {
  const path = join(root, RELEASE_CONTENTS.definitions)
  const rules = join(root, RELEASE_CONTENTS.rules)
  const [text, access, registrations] = await Promise.all([
    readFile(path, 'utf8'),
    readFile(join(root, RELEASE_CONTENTS.access), 'utf8'),
    readFile(join(root, RELEASE_CONTENTS.registrations), 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined
      throw error
    }),
  ])
  return {
    definitions: {
      hash: createHash('sha256').update(text).digest('hex').slice(0, 16),
      count: text.split('"CustomResourceDefinition"').length - 1,
      read: async () => JSON.parse(await readFile(path, 'utf8')) as CustomResourceDefinition[],
    },
    access: JSON.parse(access) as (ClusterRole | ClusterRoleBinding | Role)[],
    // A hundred kilobytes, which only clusters with the Prometheus operator need.
    rules: existsSync(rules)
      ? async () => (JSON.parse(await readFile(rules, 'utf8')) as { readonly groups: readonly RuleGroup[] }).groups
      : undefined,
    registrations: registrations === undefined ? undefined : (JSON.parse(registrations) as ReleaseContents['registrations']),
  }
}
