import type { Client } from '#client/client.ts'
import { chooseKubeVirt, kubeVirtKey, toClusterConfig } from '#features/cluster-config/index.ts'
import { revisionFormatOf } from '#features/instancetype/index.ts'
import { createInspector } from './assessment/inspect-revision.ts'
import { readRevisionInventory, type ReadOptions } from './read-inventory.ts'
import { keyOf } from './assessment/collect-references.ts'
import { reportOn, type ReportOptions } from './assessment/report.ts'
import { mayBeTransient } from './summary/transient-findings.ts'
import type { RevisionReport } from './types.ts'

/** Options of {@link takeReport}. */
export interface TakeOptions extends ReadOptions {
  readonly nowMs: number
}

/**
 * Reads a cluster and reports on it. Kinds are listed one after the other, so that a VM may
 * reference a revision that is newer than the list. Missing and orphaned revisions are therefore
 * confirmed by a second read.
 */
export async function takeReport(client: Pick<Client, 'list'>, options: TakeOptions): Promise<RevisionReport> {
  const first = await look(client, options)
  const doubtful = new Set(
    first.findings.filter(mayBeTransient).map(({ state, namespace, revision }) => `${state} ${keyOf(namespace, revision)}`),
  )
  return doubtful.size === 0 ? first : look(client, options, (state, key) => doubtful.has(`${state} ${key}`))
}

async function look(client: Pick<Client, 'list'>, options: TakeOptions, believes?: ReportOptions['believes']): Promise<RevisionReport> {
  const { cluster, kubevirts } = await readRevisionInventory(client, options)
  const kubevirt = chooseKubeVirt(kubevirts)
  const { namespace = kubeVirtKey.namespace, name = kubeVirtKey.name } = kubevirt?.metadata ?? {}
  return reportOn(cluster, {
    format: revisionFormatOf(toClusterConfig(kubevirt)),
    nowMs: options.nowMs,
    kubevirt: { namespace, name },
    inspect: createInspector(),
    ...(believes === undefined ? {} : { believes }),
  })
}
