# The app and, by other commands, the Dask scheduler and its workers: one image, so that all compute with the same code
# and versions. .dockerignore lists what goes into it.

FROM python:3.11-slim-bookworm AS build
# The address of an index with the build of torch for processors: the default one brings gigabytes for graphics cards.
# Of the two pip takes the one for processors, whose version is the higher one (2.13.0+cpu).
ARG TORCH_INDEX=""
RUN python3 -m venv /opt/venv
WORKDIR /srv/app
# Dependencies have a layer of their own: a change of the code does not fetch torch again.
COPY pyproject.toml README.md LICENSE ./
RUN mkdir pe_core && touch pe_core/__init__.py \
    && /opt/venv/bin/pip install --no-cache-dir ${TORCH_INDEX:+--extra-index-url "$TORCH_INDEX"} -e '.[app,cluster,hosting]'
COPY . .
RUN /opt/venv/bin/python -m compileall -q app.py pages pe_core ui

FROM python:3.11-slim-bookworm
# Pictures in files and handouts hold Chinese.
RUN apt-get update && apt-get install -y --no-install-recommends fonts-wqy-microhei fontconfig \
    && rm -rf /var/lib/apt/lists/*
RUN useradd --uid 10001 --no-create-home --shell /usr/sbin/nologin explorer
COPY --from=build /opt/venv /opt/venv
COPY --from=build /srv/app /srv/app
WORKDIR /srv/app
# Nothing is written beside the code, and what libraries keep for themselves goes to /tmp, which may be a tmpfs.
ENV PATH=/opt/venv/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 HOME=/tmp MALLOC_ARENA_MAX=2 \
    PE_STORE=""
USER 10001
EXPOSE 8501
HEALTHCHECK --interval=10s --timeout=70s --start-period=90s --retries=3 CMD ["sh", "deploy/healthy.sh"]
ENTRYPOINT ["sh", "deploy/start.sh"]
CMD ["streamlit", "run", "ui/hosted.py", "--server.headless=true", "--server.address=0.0.0.0", "--server.port=8501", \
     "--logger.hideWelcomeMessage=true", "--logger.enableRich=false"]
