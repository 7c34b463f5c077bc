import type { Dashboard } from './dashboard.ts'
import { apiServer } from './tables/api-server.ts'
import { fleet } from './tables/fleet.ts'
import { migrations } from './tables/migrations.ts'
import { revisions } from './tables/revisions.ts'
import { upgrade } from './tables/upgrade.ts'
import { vm } from './tables/vm.ts'

/** All dashboards. */
export const dashboards: readonly Dashboard[] = [fleet, vm, upgrade, migrations, revisions, apiServer]
