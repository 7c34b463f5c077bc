import type { KubeVirt, UpgradePlan } from '#api/kubevirt/v1/kubevirt.ts'
import type { Finding } from './finding.ts'
import type { UpgradeCheck } from './check-cluster.ts'

/** Annotation of the KubeVirt object: version whose forceable findings are ignored. */
const forceAnnotation = 'steadyvm.io/force-upgrade-to'

/** Reports whether a finding prevents the upgrade. Pure. */
export function preventsUpgrade({ severity }: Finding, to: string, { metadata }: KubeVirt): boolean {
  const isForced = metadata.annotations?.[forceAnnotation] === to
  return severity === 'blocking' || (severity === 'forceable' && !isForced)
}

/** Converts a check to the form of the KubeVirt object's status. Pure. */
export function preflightResultOf(
  { to, findings, steps, gaps }: UpgradeCheck,
  kubevirt: KubeVirt,
): Required<Pick<UpgradePlan, 'findings' | 'steps' | 'gaps'>> {
  return {
    findings: findings.map((finding) => ({
      id: finding.id,
      object: finding.object,
      message: `${finding.what}. ${finding.why}`,
      fix: finding.command,
      blocks: preventsUpgrade(finding, to, kubevirt),
    })),
    steps: steps.map(({ stage, what, count, seconds }) => ({ stage, what, count, seconds })),
    gaps: [...gaps],
  }
}
