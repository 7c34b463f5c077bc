import type { KubeVirt, UpgradePlan } from '#api/kubevirt/v1/kubevirt.ts'
import type { Finding } from './finding.ts'
import type { UpgradeCheck } from './take-check.ts'

/**
 * On the KubeVirt object: the version to which it shall go whatever was found, as far as that can
 * be forced. It says nothing about any other version.
 */
const forceAnnotation = 'steadyvm.io/force-upgrade-to'

/** Whether an upgrade does not begin because of a finding. Pure. */
export function isStopping({ severity }: Finding, to: string, { metadata }: KubeVirt): boolean {
  const isForced = metadata.annotations?.[forceAnnotation] === to
  return severity === 'blocking' || (severity === 'forceable' && !isForced)
}

/** A check as it is written down in the status of the KubeVirt object. Pure. */
export function sightOf(
  { to, findings, steps, gaps }: UpgradeCheck,
  kubevirt: KubeVirt,
): Required<Pick<UpgradePlan, 'findings' | 'steps' | 'gaps'>> {
  return {
    findings: findings.map((finding) => ({
      id: finding.id,
      object: finding.object,
      message: `${finding.what}. ${finding.why}`,
      fix: finding.command,
      blocks: isStopping(finding, to, kubevirt),
    })),
    steps: steps.map(({ stage, what, count, seconds }) => ({ stage, what, count, seconds })),
    gaps: [...gaps],
  }
}
