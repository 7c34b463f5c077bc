import { appArmorProfile } from './baseline/app-armor-profile.ts'
import { capabilitiesBaseline } from './baseline/capabilities.ts'
import { hostNamespaces } from './baseline/host-namespaces.ts'
import { hostPathVolumes } from './baseline/host-path-volumes.ts'
import { hostPorts } from './baseline/host-ports.ts'
import { privileged } from './baseline/privileged.ts'
import { procMount } from './baseline/proc-mount.ts'
import { seccompProfileBaseline } from './baseline/seccomp-profile.ts'
import { selinuxOptions } from './baseline/selinux-options.ts'
import { sysctls } from './baseline/sysctls.ts'
import { windowsHostProcess } from './baseline/windows-host-process.ts'
import type { PodPart, PodSecurityCheck, Violation } from './check.ts'
import { minorOf, type Standard } from './policy.ts'
import { allowPrivilegeEscalation } from './restricted/allow-privilege-escalation.ts'
import { capabilitiesRestricted } from './restricted/capabilities.ts'
import { restrictedVolumes } from './restricted/restricted-volumes.ts'
import { runAsNonRoot } from './restricted/run-as-non-root.ts'
import { runAsUser } from './restricted/run-as-user.ts'
import { seccompProfileRestricted } from './restricted/seccomp-profile.ts'

/** In the order in which Kubernetes reports them. */
const baseline: readonly PodSecurityCheck[] = [
  appArmorProfile,
  capabilitiesBaseline,
  hostNamespaces,
  hostPathVolumes,
  hostPorts,
  privileged,
  procMount,
  selinuxOptions,
  seccompProfileBaseline,
  sysctls,
  windowsHostProcess,
]
const restricted: readonly PodSecurityCheck[] = [
  allowPrivilegeEscalation,
  capabilitiesRestricted,
  restrictedVolumes,
  runAsNonRoot,
  runAsUser,
  seccompProfileRestricted,
]

/** The rules that apply to a pod under a standard. */
function checksOf(standard: Standard): readonly PodSecurityCheck[] {
  if (standard.level === 'privileged') return []
  const minor = minorOf(standard)
  const isIntroduced = ({ since }: PodSecurityCheck): boolean => since <= minor
  if (standard.level === 'baseline') return baseline.filter(isIntroduced)
  const strict = restricted.filter(isIntroduced)
  const replaced = new Set(strict.map(({ replaces }) => replaces))
  return [...baseline.filter((check) => isIntroduced(check) && !replaced.has(check.id)), ...strict]
}

/** Checks a pod or pod template against a standard. Pure. */
export function violationsOf(pod: PodPart, standard: Standard): readonly Violation[] {
  const minor = minorOf(standard)
  return checksOf(standard).flatMap((check) => check.run(pod, minor) ?? [])
}

/** `hostPort (container "c" uses hostPort 80), privileged (…)` */
export function describeViolations(violations: readonly Violation[]): string {
  return violations.map(({ reason, detail }) => (detail === '' ? reason : `${reason} (${detail})`)).join(', ')
}
