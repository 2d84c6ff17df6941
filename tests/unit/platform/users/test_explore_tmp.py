import re, time
from tests.unit.platform.company import MANY, company, owner, plans, portal
async def test_explore(company, plans):
    admin = await company.admin()
    for path, params in [
        ("/users", {"role": "annotator"}), ("/users", {"words": "9999"}), ("/users", {"words": "hopper 12", "limit": 20}), ("/users", {"words": "王"}),
        ("/roles/user/users", {}), ("/user-management", {}), ("/overview", {}), ("/virtual-clusters", {}),  ("/virtual-clusters/c007/members", {}),("/groups/g007/users", {}),
    ]:
        for _ in range(3):
            await admin.get(path, params=params)
        plans.found.clear()
        t=time.perf_counter(); a=await admin.get(path, params=params); took=time.perf_counter()-t
        print("=====", path, params, f"{took*1000:.0f} ms")
        asked=[e for e in plans.found if e[0].startswith("SELECT")]; plans.found.clear()
        async with plans.owner.connect() as c:
            for st, ps in asked:
                rows=[r[0] for r in await c.exec_driver_sql(f"EXPLAIN (ANALYZE, TIMING OFF) {st}", ps)]
                ex=float(rows[-1].split()[2]); pl=float(rows[-2].split()[2])
                print(f"   exec {ex:.1f} plan {pl:.1f}  {st[:90]!r}")
                if ex+pl>15:
                    print("        "+"\n        ".join(rows[:40]))
        plans.found.clear()
