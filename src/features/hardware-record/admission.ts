import { fewestDigits, policyIn, type Annotated } from './policy.ts'
import { hardwareNames, hardwarePolicies } from './names.ts'

/**
 * Warns about invalid values of the hardware annotations. They are not refused: annotations are
 * free text, and an invalid value selects the cautious policy. Pure.
 */
export function warnOfHardwareWords({ metadata }: Annotated): string[] {
  const { [hardwareNames.policyAnnotation]: policy, [hardwareNames.acceptAnnotation]: accepted } = metadata?.annotations ?? {}
  const warnings: string[] = []
  if (policy !== undefined && policyIn(policy) === undefined) {
    const words = hardwarePolicies.join(', ')
    warnings.push(`${pathOf(hardwareNames.policyAnnotation)} is ${JSON.stringify(policy)}, which is none of ${words}: it counts as Refuse`)
  }
  if (accepted !== undefined && !isFingerprint(accepted)) {
    const form = `a fingerprint, or the first ${fewestDigits} digits of one or more`
    warnings.push(
      `${pathOf(hardwareNames.acceptAnnotation)} is ${JSON.stringify(accepted)}, which is not ${form}: nothing is accepted by it`,
    )
  }
  return warnings
}

function pathOf(annotation: string): string {
  return `metadata.annotations[${annotation}]`
}

function isFingerprint(text: string): boolean {
  return text.length >= fewestDigits && /^[0-9a-f]{1,64}$/.test(text)
}
