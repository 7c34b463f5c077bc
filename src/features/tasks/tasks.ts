import type { TaskDefinition } from './task.ts'
import { waitForVmiStatus } from './wait-for-vmi-status/task.ts'

/** All tasks, by name. */
export const tasks: readonly TaskDefinition[] = [waitForVmiStatus]
