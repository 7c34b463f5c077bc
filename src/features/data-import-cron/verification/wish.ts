import type { DataImportCron } from '#api/cdi/v1beta1/data-import-cron.ts'
import { durationMs } from '#apimachinery/cel/values/time.ts'
import { parseQuantity, quantityToBytes } from '#apimachinery/quantity.ts'
import { names } from '../names.ts'

/** What a guest of an image must reach. */
export type BootGoal = 'Running' | 'AgentConnected'

/** How an image is booted before the DataSource names it. */
export interface BootWish {
  readonly goal: BootGoal
  readonly timeoutMs: number
  /** Memory of the guest, if the image names no instance type. */
  readonly memory: string
}

const goals: readonly BootGoal[] = ['Running', 'AgentConnected']
const defaultTimeoutMs = 10 * 60_000
const defaultMemory = '1Gi'

/** Returns how images are booted; undefined if they are not. Pure. */
export function bootWishOf({ metadata }: Pick<DataImportCron, 'metadata'>): BootWish | undefined {
  const { annotations = {} } = metadata
  const goal = goals.find((one) => one === annotations[names.verifyBoot])
  if (goal === undefined) return undefined
  return {
    goal,
    timeoutMs: durationMs(annotations[names.verifyTimeout] ?? '') ?? defaultTimeoutMs,
    memory: annotations[names.verifyMemory] ?? defaultMemory,
  }
}

/** Returns what is wrong with the annotations of ours, by annotation. Pure. */
export function whyNoAnnotations({ metadata }: Pick<DataImportCron, 'metadata'>): readonly (readonly [annotation: string, why: string])[] {
  const { annotations = {} } = metadata
  const isWrong = (name: string, isValid: (value: string) => boolean): boolean => {
    const value = annotations[name]
    return value !== undefined && !isValid(value)
  }
  return [
    ...(isWrong(names.verifyBoot, (value) => goals.some((goal) => goal === value))
      ? [[names.verifyBoot, `must be one of ${goals.join(', ')}`] as const]
      : []),
    ...[names.verifyTimeout, names.importDeadline].flatMap((name) =>
      isWrong(name, (value) => (durationMs(value) ?? 0) > 0) ? [[name, 'must be a duration such as 10m'] as const] : [],
    ),
    ...(isWrong(names.verifyMemory, isSize) ? [[names.verifyMemory, 'must be a quantity such as 1Gi'] as const] : []),
  ]
}

function isSize(value: string): boolean {
  try {
    return quantityToBytes(parseQuantity(value)) > 0n
  } catch {
    return false
  }
}
