#!/bin/sh
# Gathers what tests/gpu/trial.ts needs on a machine without network and without Node into the folder gpu-trial, and packs
# it. The programs are bundled: of all packages only Node itself is needed.
set -eu
cd "$(dirname "$0")/../.."
node scripts/setup.js --quiet --for command
rm -rf gpu-trial gpu-trial.tar.gz
mkdir -p gpu-trial/scripts gpu-trial/tests/gpu gpu-trial/node_modules/.bin
cp -R bin dist python r package.json gpu-trial/
cp -R scripts/setup scripts/setup.js gpu-trial/scripts/
cp tests/gpu/*.ts gpu-trial/tests/gpu/
find gpu-trial \( -name __pycache__ -o -name '*.test.js' \) -prune -exec rm -rf {} +
cp -L node_modules/.bin/node gpu-trial/node_modules/.bin/node
strip gpu-trial/node_modules/.bin/node 2>/dev/null || true
tar -czf gpu-trial.tar.gz gpu-trial
du -sh gpu-trial gpu-trial.tar.gz
